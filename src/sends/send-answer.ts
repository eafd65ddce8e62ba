import Type, { type Static } from 'typebox'
import { EXCLUSIVE } from '../http/described-schemas.ts'
import type { MessageOptions } from '../messages/options.ts'
import type { Batch } from '../queue/batch.ts'
import { Nullable } from '../schemas/nullable.ts'
import { isTooLate, type Plan, type Totals } from './plan.ts'

const counts = {
  recipients_count: Type.Integer({ description: 'Who it goes to, after drops.' }),
  sms_count: Type.Integer({ description: 'SMS segments in all.' }),
  doublons: Type.Integer({ description: 'Repeated numbers, dropped.' }),
  stops: Type.Integer({ description: 'Numbers that are opted out, dropped.' }),
  invalid: Type.Integer({
    description:
      'Dropped: numbers that are none or can’t receive SMS, and recipients whose text is empty once its variables are filled in.'
  }),
  barred: Type.Integer({ description: 'Dropped: numbers of countries that the account may not write to.' }),
  unpriced: Type.Integer({
    description: 'Dropped: numbers of countries that the price list of the account has no price for.'
  }),
  limited: Type.Integer({
    description: 'Dropped: numbers that have had as many messages within the hour as the limits allow.'
  }),
  no_consent: Type.Integer({
    description:
      'Of marketing: people without a consent. Dropped where consent is enforced; where it only warns, they are counted and written to.'
  }),
  capped: Type.Integer({ description: 'Dropped: people who have had as much marketing as the account allows.' })
}

const warnings = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'What is wrong with the send, though it is accepted: a sender that is not approved, in the mode `warn`, a validity that ends before marketing may leave, or a deadline that it will not keep.'
  })
)

export const SmsStatusView = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String(),
    message_id: Type.Integer(),
    credits_used: Type.Integer(),
    credits_remaining: Type.Integer(),
    ...counts,
    warnings
  },
  { $id: 'SmsStatus' }
)

const Confirmation = Type.Object(
  {
    token: Type.String({ description: 'The `confirmation` to send with, once.' }),
    valid_until: Type.String({ format: 'date-time' }),
    credits_left_today: Type.Integer({ description: 'How many credits the key may still spend today.' })
  },
  {
    $id: 'SendConfirmation',
    description: 'For a key with the scope `send_confirmed` and without `send`: what the send itself needs.'
  }
)

export const SmsDryRunView = Type.Object(
  {
    credits_required: Type.Integer(),
    credits_remaining: Type.Integer({ description: 'The balance now.' }),
    credits_missing: Type.Integer(),
    ...counts,
    encoding: Type.Enum(['gsm', 'ucs2']),
    forced_by: Type.Array(Type.String(), { description: 'Characters that forced UCS-2.' }),
    barred_countries: Type.Array(Type.String(), {
      description: 'The countries, by ISO code, whose numbers are counted in `barred`.'
    }),
    unpriced_countries: Type.Array(Type.String(), {
      description: 'The countries, by ISO code, whose numbers are counted in `unpriced`.'
    }),
    starts_at: Type.String({
      format: 'date-time',
      description: 'When its first recipient leaves: now, at the requested time, or when marketing is allowed again.'
    }),
    held_count: Type.Integer({
      description: 'Recipients that wait for the hours allowed for marketing. 0 for a send that is spread.'
    }),
    held_until: Nullable(
      Type.String({ format: 'date-time', description: 'When the first of them leaves; null when none waits.' })
    ),
    finishes_at: Type.String({
      format: 'date-time',
      description: 'About when its last recipient has left, by the pace of the carriers and what waits before it now.'
    }),
    warnings,
    confirmation: Type.Optional(Confirmation)
  },
  { $id: 'SmsResume' }
)

/** The answer of a send: the accepted message or, for a dry run, its estimate. */
export const SendAnswer = Type.Union([SmsStatusView, SmsDryRunView], EXCLUSIVE)

const rcsCounts = {
  rcs_count: Type.Integer({ description: 'RCS messages in all, one for each recipient.' }),
  sms_count: Type.Integer({ description: '0: a fallback counts when it is sent.' })
}

const RcsStatusView = Type.Object({ ...SmsStatusView.properties, ...rcsCounts }, { $id: 'RcsStatus' })

const RcsDryRunView = Type.Object(
  {
    ...SmsDryRunView.properties,
    ...rcsCounts,
    encoding: Type.Enum(['gsm', 'ucs2'], { description: 'Of the fallback; `gsm` when there is none.' })
  },
  { $id: 'RcsResume' }
)

export const RcsSendAnswer = Type.Union([RcsStatusView, RcsDryRunView], EXCLUSIVE)

/** `?resumeBefore=true` asks for a dry run. */
export const SendQuery = Type.Object({
  resumeBefore: Type.Optional(
    Type.Boolean({
      description:
        'Only tell what the send would do: nothing is stored, sent or charged. `true`, `false`, `1` or `0`, in any case.'
    })
  )
})

function toCounts(totals: Totals) {
  const { recipients, segments, repeats, stops, invalid, barred, unpriced, limited, noConsent, capped } = totals
  return {
    recipients_count: recipients,
    sms_count: segments,
    doublons: repeats,
    stops,
    invalid,
    barred,
    unpriced,
    limited,
    no_consent: noConsent,
    capped
  }
}

export function toStatus(
  { totals, warnings }: Pick<Plan, 'totals' | 'warnings'>,
  { messageId, remaining, message }: { messageId: number; remaining: number; message: string }
): Static<typeof SmsStatusView> {
  return {
    success: true,
    message,
    message_id: messageId,
    credits_used: totals.credits,
    credits_remaining: remaining,
    ...toCounts(totals),
    ...(warnings.length > 0 && { warnings })
  }
}

type TimeName = 'starts_at' | 'held_count' | 'held_until' | 'finishes_at'

/** The answer of a dry run, without its times. */
export function toDryRun(
  {
    totals,
    barredCountries,
    unpricedCountries,
    warnings
  }: Pick<Plan, 'totals' | 'barredCountries' | 'unpricedCountries' | 'warnings'>,
  remaining: number
): Omit<Static<typeof SmsDryRunView>, TimeName> {
  return {
    credits_required: totals.credits,
    credits_remaining: remaining,
    credits_missing: Math.max(0, totals.credits - remaining),
    ...toCounts(totals),
    encoding: totals.encoding,
    forced_by: totals.forcedBy,
    barred_countries: barredCountries,
    unpriced_countries: unpricedCountries,
    ...(warnings.length > 0 && { warnings })
  }
}

interface Timing {
  departsAt: Date
  options?: MessageOptions | undefined
}

/** Describes the departure: now, at the requested time, or at the next hours that the law allows. */
export function describeDeparture(plan: Pick<Plan, 'batches' | 'isHeldAbroad'>, send: Timing & { now: Date }): string {
  const { now, departsAt, options } = send
  const scheduled = departsAt.getTime() > now.getTime() ? `Scheduled for ${departsAt.toISOString()}.` : 'Accepted.'
  if (options?.spread) {
    const last = new Date(plan.batches().reduce((latest, { dueAt }) => Math.max(latest, dueAt.getTime()), 0))
    return `${scheduled} It leaves at ${options.spread.perHour} an hour, the last at ${last.toISOString()}.`
  }
  const held = heldAmong(plan.batches(), send)
  if (held.length === 0) return scheduled
  const until = `${countOf(held)} held until ${earliestOf(held).toISOString()} or later`
  const where = plan.isHeldAbroad ? 'the countries of these recipients' : 'France'
  return `${scheduled} ${until}: outside the hours allowed for marketing in ${where}.`
}

/** When the first recipients leave, and how many wait for the hours that the law allows. */
export function toStart(plan: Pick<Plan, 'batches'>, timing: Timing) {
  const batches = plan.batches()
  const leaving = batches.filter((batch) => !isTooLate(batch))
  const held = heldAmong(batches, timing)
  return {
    starts_at: (leaving.length === 0 ? timing.departsAt : earliestOf(leaving)).toISOString(),
    held_count: countOf(held),
    held_until: held.length === 0 ? null : earliestOf(held).toISOString()
  }
}

/** The batches that wait for the hours of marketing, and will leave. */
function heldAmong(batches: readonly Batch[], { departsAt, options }: Timing): Batch[] {
  if (options?.spread) return []
  return batches.filter((batch) => batch.dueAt.getTime() > departsAt.getTime() && !isTooLate(batch))
}

const countOf = (batches: readonly Batch[]) => batches.reduce((sum, { positions }) => sum + positions.length, 0)

const earliestOf = (batches: readonly { dueAt: Date }[]) =>
  new Date(batches.reduce((first, { dueAt }) => Math.min(first, dueAt.getTime()), Number.POSITIVE_INFINITY))

const exampleCounts = {
  recipients_count: 2,
  sms_count: 2,
  doublons: 0,
  stops: 0,
  invalid: 0,
  barred: 0,
  unpriced: 0,
  limited: 0,
  no_consent: 0,
  capped: 0
}

export const statusExample: Static<typeof SmsStatusView> = {
  success: true,
  message: 'Accepted.',
  message_id: 7,
  credits_used: 2,
  credits_remaining: 9_998,
  ...exampleCounts
}

export const rcsStatusExample: Static<typeof RcsStatusView> = {
  ...statusExample,
  credits_used: 4,
  credits_remaining: 9_996,
  rcs_count: 2,
  sms_count: 0
}

export const dryRunExample: Static<typeof SmsDryRunView> = {
  credits_required: 2,
  credits_remaining: 10_000,
  credits_missing: 0,
  ...exampleCounts,
  encoding: 'gsm',
  forced_by: [],
  barred_countries: [],
  unpriced_countries: [],
  starts_at: '2026-11-15T09:30:00.000Z',
  held_count: 0,
  held_until: null,
  finishes_at: '2026-11-15T09:31:00.000Z'
}

export const rcsDryRunExample: Static<typeof RcsDryRunView> = {
  ...dryRunExample,
  credits_required: 4,
  rcs_count: 2,
  sms_count: 0
}

/** The answer to a send of RCS: all its recipients are tried by RCS first. */
export function withRcsCount<Answer extends { recipients_count: number }>(answer: Answer) {
  return { ...answer, rcs_count: answer.recipients_count }
}
