import { lockAccount } from '../accounts/accounts.store.ts'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import type { LaterSending } from '../sends/depart.ts'
import { AutomationInput, AutomationView, automationExample, inputExample, toAutomationView } from './automation.ts'
import { countAutomations, insertAutomation } from './automations.store.ts'
import { readInput } from './read-input.ts'

const AUTOMATIONS_MAX = 100

export const AUTOMATION_REFUSALS = {
  forbidden: 'The sender, or what is sent, is not allowed for this account.',
  not_found: 'There is no such contact list, segment, template, or agent that this account may use.',
  state_conflict: 'A rule of a segment names something that is gone, or the Idempotency-Key is in use.'
}

export const createAutomation = (sending: LaterSending) =>
  operation({
    route: 'POST /automations',
    id: 'createAutomation',
    tag: 'Beyond',
    permission: 'send',
    summary: 'Create an automation',
    description:
      'Sends a message again and again by a schedule, to the people who fit at that moment: a monthly campaign, birthdays, a welcome. Each run is a message of its own, with prices, hours, consents and caps like any other. It is checked now as if it were sent now, except that nobody may fit yet.',
    body: AutomationInput,
    isLongWork: () => true,
    answer: AutomationView,
    example: { body: inputExample, answer: automationExample },
    refusals: {
      ...AUTOMATION_REFUSALS,
      state_conflict: `The account has ${AUTOMATIONS_MAX} automations, a rule of a segment names something that is gone, or the Idempotency-Key is in use.`
    },
    handle: ({ caller, body, database, record }) =>
      database.begin(async (database) => {
        const fields = await readInput(database, body, { caller, sending })
        // Under the lock, so that two automations made at once are counted one after the other.
        await lockAccount(database, caller.accountId)
        if ((await countAutomations(database, caller.accountId)) >= AUTOMATIONS_MAX) throw tooMany()
        const automation = await insertAutomation(database, caller.accountId, fields)
        const { id, name } = automation
        await record(database, { object: { kind: 'automation', id }, changes: { name: [null, name] } })
        return toAutomationView(automation)
      })
  })

function tooMany(): Refusal {
  return new Refusal(409, 'state_conflict', `The account has ${AUTOMATIONS_MAX} automations; delete one first.`)
}
