import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { invalidInput } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { toAudience } from '../sends/accept-later.ts'
import type { LaterSending } from '../sends/depart.ts'
import { laterMessageProblems, readLaterMessage } from '../sends/later-message.ts'
import { withPace } from '../sends/spread.ts'
import { planAlone } from '../sends/store-many.ts'
import type { AutomationInput } from './automation.ts'
import type { AutomationFields } from './automations.store.ts'
import { nextTime, scheduleProblems } from './schedule.ts'

/** Checks an automation as a send of now would be checked, except that nobody may fit yet. Must run in a transaction. */
export async function readInput(
  database: Database,
  input: AutomationInput,
  { caller, sending }: { caller: Caller; sending: LaterSending }
): Promise<AutomationFields> {
  const { name, schedule, contactlist, segments, is_on: isOn = true, once: isOnce = false } = input
  const now = databaseNow()
  const problems = [...scheduleProblems(schedule, caller.timeZone, now), ...laterMessageProblems(input)]
  if (contactlist === undefined && segments === undefined) {
    problems.push({ path: 'segments', message: 'is missing: give contactlist, segments or both' })
  }
  if (problems.length > 0) throw invalidInput(problems)
  const { send, request, check } = await readLaterMessage(database, input, { caller, author: undefined, ...sending })
  await check(async () => {
    const source = toAudience(sending, { contactlist, segments }, send)
    const paced = await withPace(database, send, source)
    const { plan, isAnybody } = await planAlone(database, paced, source, sending.routing)
    if (isAnybody) plan.refuseIfEmpty()
  })
  const nextAt = isOn ? (nextTime(schedule, caller.timeZone, now) ?? null) : null
  return { name, schedule, isOnce, contactlist: contactlist ?? [], segmentIds: segments ?? [], request, nextAt }
}
