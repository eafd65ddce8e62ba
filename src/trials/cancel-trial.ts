import type { Database } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { isFinalRefusal, notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { CANCEL_TRIES_MAX, cancel } from '../sends/cancel.ts'
import { lockForChange } from '../sends/lock-for-change.ts'
import { readFigures } from './choose.ts'
import { type Trial, TrialView, toTrialView, trialExample } from './trial.ts'
import { deleteTrialPeople } from './trial-people.store.ts'
import { findTrial, updateToCancelledTrial } from './trials.store.ts'

export const cancelTrial = operation({
  route: 'PUT /trials/{id}/cancel',
  id: 'cancelTrial',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Cancel a trial',
  description:
    'Ends a trial before the choice: nothing is sent to the rest, and whatever of the variants has not been handed to a carrier is cancelled, with its credits back. After the choice, cancel the message to the rest instead.',
  answer: TrialView,
  example: { answer: { ...trialExample, state: 'cancelled', winner: null, choice: null } },
  refusals: { state_conflict: 'It is decided or over already, or the Idempotency-Key is in use.' },
  handle: ({ caller: { accountId }, params: { id }, database, record }) =>
    retryBusy(CANCEL_TRIES_MAX, () =>
      database.begin(async (database) => {
        const trial = await findTrial(database, { accountId, id }, { isLocked: true })
        if (!trial) throw notFound('trial')
        if (trial.state !== 'testing' && trial.state !== 'scheduled') {
          throw new Refusal(409, 'state_conflict', `Nothing is left to cancel: the trial is ${trial.state}.`)
        }
        await cancelVariants(database, trial)
        await deleteTrialPeople(database, trial)
        const cancelled = await updateToCancelledTrial(database, trial)
        await record(database, { object: { kind: 'trial', id } })
        return toTrialView(cancelled, await readFigures(database, cancelled))
      })
    )
})

/** In the order of their ids, as all that locks several messages. */
async function cancelVariants(database: Database, { accountId, messageIds }: Trial): Promise<void> {
  const keys = messageIds.toSorted((a, b) => a - b).map((id) => ({ accountId, id }))
  // All before the first cancel, which moves a balance: whoever settles a message holds the message, and waits for balances.
  for (const key of keys) await lockForChange(database, key).catch(ignoreRefusal)
  for (const key of keys) await database.begin((database) => cancel(database, key)).catch(ignoreRefusal)
}

/** It has left, or was removed. */
function ignoreRefusal(error: unknown): void {
  if (!isFinalRefusal(error)) throw error
}
