import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { type InputProblem, invalidInput, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { type AudienceFields, freezeRcs, freezeSms, toAudience } from '../sends/accept-later.ts'
import type { LaterSending } from '../sends/depart.ts'
import { missingRcsContent, type RcsSendFields, readRcsSend, smsOnlyProblems } from '../sends/rcs-send.ts'
import { missingContent, readSend, type SendContext, type SendFields } from '../sends/send.ts'
import { withPace } from '../sends/spread.ts'
import { planAlone } from '../sends/store-many.ts'
import { type AutomationInput, MESSAGE_FIELDS } from './automation.ts'
import type { AutomationFields } from './automations.store.ts'
import { nextTime, scheduleProblems } from './schedule.ts'

/** Checks an automation as a send of now would be checked, except that nobody may fit yet. Must run in a transaction. */
export async function readInput(
  database: Database,
  input: AutomationInput,
  { caller, sending }: { caller: Caller; sending: LaterSending }
): Promise<AutomationFields> {
  const { name, schedule, contactlist, segments, rcs, is_on: isOn = true, once: isOnce = false } = input
  const now = databaseNow()
  const problems = [...scheduleProblems(schedule, caller.timeZone, now), ...contentProblems(input)]
  if (contactlist === undefined && segments === undefined) {
    problems.push({ path: 'segments', message: 'is missing: give contactlist, segments or both' })
  }
  if (problems.length > 0) throw invalidInput(problems)
  const context = { caller, author: undefined, ...sending }
  const audience = { contactlist, segments }
  const request = rcs
    ? await freeze(database, 'rcs', rcs, { context, sending, audience })
    : await freeze(database, 'sms', input.sms ?? {}, { context, sending, audience })
  const nextAt = isOn ? (nextTime(schedule, caller.timeZone, now) ?? null) : null
  return { name, schedule, isOnce, contactlist: contactlist ?? [], segmentIds: segments ?? [], request, nextAt }
}

/** What is kept of the message, after it was checked: with the content of its template. */
async function freeze(
  database: Database,
  channel: 'sms' | 'rcs',
  given: SendFields | RcsSendFields,
  { context, sending, audience }: { context: SendContext; sending: LaterSending; audience: AudienceFields }
): Promise<Record<string, unknown>> {
  // Without what a request holds besides, which must not be stored.
  const known = Object.entries(given).filter(([name]) => Object.hasOwn(MESSAGE_FIELDS[channel], name))
  const fields = Object.fromEntries(known) as SendFields & RcsSendFields
  try {
    const read = channel === 'rcs' ? readRcsSend : readSend
    const given = await read(database, fields, context)
    const source = toAudience(sending, audience, given)
    const send = await withPace(database, given, source)
    const { plan, isAnybody } = await planAlone(database, send, source, sending.routing)
    if (isAnybody) plan.refuseIfEmpty()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_input' || !Array.isArray(error.details)) throw error
    throw invalidInput(within(channel, error.details as InputProblem[]))
  }
  return channel === 'rcs' ? freezeRcs(database, fields, context.caller) : freezeSms(database, fields, context.caller)
}

function contentProblems({ sms, rcs }: AutomationInput): InputProblem[] {
  if (sms && rcs) return [{ path: 'rcs', message: 'must not be given together with sms' }]
  if (!sms && !rcs) return [{ path: 'sms', message: 'is missing: give sms or rcs' }]
  return rcs
    ? within('rcs', [...missingRcsContent(rcs), ...smsOnlyProblems(rcs)])
    : within('sms', missingContent(sms ?? {}))
}

/** Problems of the message by their path in the request. Those of the audience have theirs. */
function within(channel: 'sms' | 'rcs', problems: readonly InputProblem[]): InputProblem[] {
  return problems.map(({ path, message }) => {
    const isOfAudience = /^(contactlist|segments)\b/.test(path)
    return { path: isOfAudience ? path : `${channel}.${path}`, message }
  })
}
