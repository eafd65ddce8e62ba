import Type from 'typebox'
import { type Database, liftStatementTimeout } from '../database/database.ts'
import { invalidInput } from '../errors.ts'
import type { RecipientSource } from './recipient-source.ts'
import type { Send } from './send.ts'

/*
 * A send that is spread leaves a little at a time: so many recipients an hour, or all of them over some minutes. Recipients are
 * put into slots of a minute; a slot is a due time like any other, so the queue knows nothing of it.
 */

/** No slot is later than this after the first: the message would be forgotten by then. */
const SPREAD_HOURS_MAX = 7 * 24
const PER_HOUR_MAX = 10_000_000
const HOUR_MS = 3_600_000
const SLOT_MS = 60_000

export const SpreadField = Type.Object(
  {
    per_hour: Type.Optional(
      Type.Integer({ minimum: 1, maximum: PER_HOUR_MAX, description: 'At most so many recipients an hour.' })
    ),
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: SPREAD_HOURS_MAX * 60, description: 'All recipients over so many minutes.' })
    )
  },
  {
    $id: 'SpreadDto',
    description:
      'Lets the message leave a little at a time, evenly: `{"per_hour": 5000}` or `{"minutes": 120}`, not both; over at most 7 days. Marketing waits outside of the allowed hours, and goes on at the same pace. Not with `validity`. Default: as fast as the carriers take it.'
  }
)

/** So many recipients an hour. */
export interface Spread {
  perHour: number
}

/** The send with its pace, if it asks for one. The recipients of the source are counted where only their time is given. */
export async function withPace<Given extends Send>(
  database: Database,
  send: Given,
  source: RecipientSource
): Promise<Given> {
  if (!send.spread) return send
  const { per_hour: perHour, minutes } = send.spread
  if ((perHour === undefined) === (minutes === undefined)) {
    throw invalidInput([{ path: 'spread', message: 'must have either per_hour or minutes, such as {"minutes": 120}' }])
  }
  const pace = perHour ?? Math.max(1, Math.ceil(((await countGiven(database, source)) * 60) / (minutes as number)))
  return { ...send, options: { ...send.options, spread: { perHour: pace } } }
}

async function countGiven(database: Database, source: RecipientSource): Promise<number> {
  if (source.few) return source.few.length
  return database.begin(async (database) => {
    await liftStatementTimeout(database)
    let count = 0
    for await (const piece of source.read(database)) count += piece.length
    return count
  })
}

/** The next allowed moment at or after a moment. */
export type NextAllowed = (from: Date) => Date

/** Gives each recipient a due time, by its place: places differ in their allowed hours. */
export function createSlots(beginsAt: Date, { perHour }: Spread): (place: string, nextAllowed: NextAllowed) => Date {
  const begin = beginsAt.getTime()
  // A slot of less than one recipient would be empty: a slow pace has longer slots.
  const slotMs = Math.max(SLOT_MS, Math.ceil(HOUR_MS / perHour))
  const perSlot = (perHour * slotMs) / HOUR_MS
  const slotsMax = Math.floor((SPREAD_HOURS_MAX * HOUR_MS) / slotMs)
  const roomOf = (slot: number) => Math.floor((slot + 1) * perSlot) - Math.floor(slot * perSlot)
  const used = new Map<number, number>()
  const slots = new Map<string, number>()
  const momentOf = (slot: number) => new Date(begin + slot * slotMs)

  /** The first slot from this one on whose beginning is allowed: within an hour there are no more slots than that holds. */
  function firstAllowed(from: number, nextAllowed: NextAllowed): number {
    let slot = from
    while (slot <= slotsMax) {
      const allowed = Math.ceil((nextAllowed(momentOf(slot)).getTime() - begin) / slotMs)
      if (allowed === slot) return slot
      slot = allowed
    }
    throw invalidInput([{ path: 'spread', message: 'would take longer than 7 days; let more leave an hour' }])
  }

  return (place, nextAllowed) => {
    let slot = slots.get(place) ?? firstAllowed(0, nextAllowed)
    while ((used.get(slot) ?? 0) >= roomOf(slot)) slot = firstAllowed(slot + 1, nextAllowed)
    slots.set(place, slot)
    used.set(slot, (used.get(slot) ?? 0) + 1)
    return momentOf(slot)
  }
}
