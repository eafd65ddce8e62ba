import Type, { type Static } from 'typebox'
import type { Callback } from '../callbacks/callback.ts'
import { invalidInput } from '../errors.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { problemOfText } from '../schemas/unstorable.ts'
import { validator } from '../schemas/validate.ts'
import type { Accepted } from '../sends/accepted.ts'
import { fromNumbers } from '../sends/recipient-sources.ts'
import { readSend, sendFields } from '../sends/send.ts'
import { dryRun } from '../sends/store-many.ts'
import { subscribeToCallbacks } from '../webhooks/events.store.ts'
import { checkTarget } from '../webhooks/target.ts'
import type { DoorParts, DoorRequest } from './door.ts'

const Fields = Type.Object(sendFields)
export type DoorFields = Static<typeof Fields>
const validate = validator(Fields)

/** A message as a door has read it. */
export interface DoorSend {
  fields: DoorFields
  numbers: readonly string[]
  callback: Omit<Callback, 'givenNumbers' | 'keptUntil'> | undefined
}

/** The argument that the numbers come from, in refusals. */
export const NUMBERS_PATH = 'to'

/** The last report comes within days of the departure, and is tried for three days. The rest is for a held account. */
const KEPT_MS = 30 * 86_400_000
/** Numbers as they were written are kept for so many recipients; others are told in digits. */
const GIVEN_NUMBERS_MAX = 1_000

/** Accepts a message that came through a door. */
export async function sendThroughDoor(parts: DoorParts, request: DoorRequest, send: DoorSend): Promise<Accepted> {
  const { pool, shares, sending } = parts
  const { caller } = request
  const read = await readDoorSend(parts, request, send)
  // Before the message: whatever happens to it is then reported.
  if (send.callback) await subscribeToCallbacks(pool, caller.accountId)
  return sending.accept(shares.databaseOf(caller.topLevelId), read, fromNumbers(send.numbers, NUMBERS_PATH))
}

/** What a message would cost. Nothing is stored. */
export async function estimateThroughDoor(parts: DoorParts, request: DoorRequest, send: DoorSend) {
  const read = await readDoorSend(parts, request, send)
  const database = parts.shares.databaseOf(request.caller.topLevelId)
  return dryRun(database, read, fromNumbers(send.numbers, NUMBERS_PATH), parts.sending)
}

async function readDoorSend(
  { pool, sending, targets }: DoorParts,
  { caller, author }: DoorRequest,
  { fields, numbers, callback }: DoorSend
) {
  const validation = validate(fields)
  const problems = 'problems' in validation ? validation.problems : []
  for (const [path, value] of Object.entries(fields)) {
    const problem = typeof value === 'string' ? problemOfText(value, path) : undefined
    if (problem) problems.push(problem)
  }
  if (problems.length > 0) throw invalidInput(problems)
  if (callback) await refuseBadTarget(callback.url, targets)
  const { linkUrl, routing } = sending
  const context = { caller, author, routing, linkUrl, isLiteral: true }
  const read = await readSend(pool, fields, context)
  if (!callback) return read
  const keptUntil = new Date(read.departsAt.getTime() + KEPT_MS)
  return { ...read, callback: { ...callback, keptUntil, givenNumbers: givenNumbers(numbers, caller.country) } }
}

async function refuseBadTarget(url: string, targets: DoorParts['targets']): Promise<void> {
  const unstorable = problemOfText(url, CALLBACK_PATH)
  const read = unstorable ? { problem: unstorable.message } : await checkTarget(url, targets)
  if ('problem' in read) throw invalidInput([{ path: CALLBACK_PATH, message: read.problem }])
}

/** The argument that names the address of a callback. */
export const CALLBACK_PATH = 'dlr-url'

/** Numbers whose form differs from the digits of their E.164 form, which callbacks tell otherwise. */
function givenNumbers(numbers: readonly string[], country: string): Record<string, string> {
  const given: Record<string, string> = {}
  if (numbers.length > GIVEN_NUMBERS_MAX) return given
  for (const number of numbers) {
    const phone = parsePhoneNumber(number, country)?.e164
    if (phone !== undefined && digitsOf(phone) !== number) given[phone] ??= number
  }
  return given
}

export function digitsOf(phone: string): string {
  return phone.replace(/^\+/, '')
}
