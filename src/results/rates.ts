import Type, { type Static } from 'typebox'
import { Nullable } from '../schemas/nullable.ts'

/** What the rates of results are made of. */
export interface Counts {
  sent: number
  delivered: number
  clicked: number
  replied: number
  optedOut: number
  /** Of `delivered`, those whose message had a tracked link. */
  deliveredWithLink: number
}

const Rate = (description: string) => Nullable(Type.Number({ minimum: 0, maximum: 1, description }))

/** The counts and rates that all results share. */
export const resultFields = {
  sent: Type.Integer({ description: 'Recipients that a carrier accepted, with any result.' }),
  delivered: Type.Integer({ description: 'Recipients with a delivered message, read or not.' }),
  clicked: Type.Integer({ description: 'Recipients that opened the tracked link.' }),
  replied: Type.Integer({ description: 'People who replied.' }),
  opted_out: Type.Integer({ description: 'People who opted out in answer, also if they came back.' }),
  delivery_rate: Rate('`delivered` of `sent`; null when nothing was sent.'),
  click_rate: Rate('`clicked` of those who got a message with a tracked link; null when there are none.'),
  reply_rate: Rate('`replied` of `delivered`; null when nothing was delivered.'),
  opt_out_rate: Rate('`opted_out` of `delivered`; null when nothing was delivered.')
}

export const Results = Type.Object(resultFields)

export function toResults(counts: Counts): Static<typeof Results> {
  const { sent, delivered, clicked, replied, optedOut, deliveredWithLink } = counts
  return {
    sent,
    delivered,
    clicked,
    replied,
    opted_out: optedOut,
    delivery_rate: rate(delivered, sent),
    click_rate: rate(clicked, deliveredWithLink),
    reply_rate: rate(replied, delivered),
    opt_out_rate: rate(optedOut, delivered)
  }
}

export const resultsExample: Static<typeof Results> = {
  sent: 2_000,
  delivered: 1_950,
  clicked: 312,
  replied: 20,
  opted_out: 9,
  delivery_rate: 0.975,
  click_rate: 0.16,
  reply_rate: 0.0103,
  opt_out_rate: 0.0046
}

/** At most 1: people whose delivery the carrier never reported can click and reply too. */
function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.min(1, part / whole)
}

/** For a confidence of 95 %. */
const Z = 1.96

/**
 * The lower end of the interval in which a rate lies (Wilson's score). To sort by it keeps one click of one delivery from
 * being the best.
 */
export function certainRate(part: number, whole: number): number {
  if (whole === 0) return 0
  const share = Math.min(1, part / whole)
  const spread = Z * Math.sqrt((share * (1 - share)) / whole + Z ** 2 / (4 * whole ** 2))
  return Math.max(0, (share + Z ** 2 / (2 * whole) - spread) / (1 + Z ** 2 / whole))
}
