import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import type { LaterSending } from '../sends/depart.ts'
import { AutomationInput, AutomationView, automationExample, inputExample, toAutomationView } from './automation.ts'
import { findAutomation, updateAutomation as updateRow } from './automations.store.ts'
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
      'Replaces all of an automation, checked like a new one. Its history stays, and so do the people whom it has written to. What it has sent stays as it is.',
    body: AutomationInput,
    isLongWork: () => true,
    answer: AutomationView,
    example: { body: inputExample, answer: automationExample },
    refusals: AUTOMATION_REFUSALS,
    handle: ({ caller, params, body, database, record }) =>
      database.begin(async (database) => {
        const key = { accountId: caller.accountId, id: params.id }
        const before = await findAutomation(database, key)
        if (!before) throw notFound('automation')
        const updated = await updateRow(database, key, await readInput(database, body, { caller, sending }))
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
