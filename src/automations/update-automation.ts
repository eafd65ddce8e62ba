import { isDeepStrictEqual } from 'node:util'
import { databaseNow } from '../database/clock.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import type { LaterSending } from '../sends/depart.ts'
import {
  type Automation,
  AutomationInput,
  AutomationView,
  automationExample,
  inputExample,
  toAutomationView
} from './automation.ts'
import { type AutomationFields, findAutomation, turnOff, updateAutomation as updateRow } from './automations.store.ts'
import { AUTOMATION_REFUSALS } from './create-automation.ts'
import { readInput } from './read-input.ts'

export const updateAutomation = (sending: LaterSending) =>
  operation({
    route: 'PUT /automations/{id}',
    id: 'updateAutomation',
    tag: 'Beyond',
    permission: 'send',
    summary: 'Change an automation',
    description:
      'Replaces all of an automation, checked like a new one. One that is only turned off is not checked again. Its history stays, and so do the people whom it has written to. What it has sent stays as it is.',
    body: AutomationInput,
    isLongWork: () => true,
    answer: AutomationView,
    example: { body: inputExample, answer: automationExample },
    refusals: AUTOMATION_REFUSALS,
    handle: ({ caller, params, body, database, record }) =>
      database.begin(async (database) => {
        const key = { accountId: caller.accountId, id: params.id }
        // Locked before the next time is counted from now: a run meanwhile would be undone by that time, and come again.
        const before = await findAutomation(database, key, { isLocked: true })
        if (!before) throw notFound('automation')
        // Also one that could not be made today: its list may be gone.
        const updated = isOnlyTurnedOff(before, body)
          ? await turnOff(database, key)
          : await updateRow(database, key, keepDue(before, await readInput(database, body, { caller, sending })))
        if (!updated) throw notFound('automation')
        await record(database, {
          object: { kind: 'automation', id: params.id },
          changes: {
            name: [before.name, updated.name],
            schedule: [before.schedule, updated.schedule],
            is_on: [before.nextAt !== null, updated.nextAt !== null]
          }
        })
        return toAutomationView(updated)
      })
  })

/** A run that is due by a schedule that stays is not passed over: it has what is given now. */
function keepDue({ schedule, nextAt }: Automation, given: AutomationFields): AutomationFields {
  const isDue = nextAt !== null && nextAt <= databaseNow()
  return isDue && given.nextAt && given.schedule === schedule ? { ...given, nextAt } : given
}

function isOnlyTurnedOff(before: Automation, { is_on: isOn, once = false, ...given }: AutomationInput): boolean {
  const was = toAutomationView(before)
  const { [was.channel]: message } = given
  const isSame = isDeepStrictEqual(
    [given.name, given.schedule, given.contactlist, given.segments, once, message],
    [was.name, was.schedule, was.contactlist, was.segments, was.once, was.message]
  )
  return isOn === false && isSame && !(given.sms && given.rcs)
}
