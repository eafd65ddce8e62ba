import { updateToFullyClosed } from '../accounts/standings.store.ts'
import { deleteGrantsOf } from '../agents/agents.store.ts'
import { turnOffAllOf } from '../automations/automations.store.ts'
import { deleteAllCallbacks } from '../callbacks/callbacks.store.ts'
import { withdrawRequestsOf } from '../credit-requests/credit-requests.store.ts'
import { recordRequestEvent } from '../credit-requests/tell-request.ts'
import { transferCredits } from '../credits/ledger.ts'
import type { Pool } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { Refusal } from '../errors.ts'
import { deleteLooksOf } from '../looks/looks.store.ts'
import { deleteKeywordsOf } from '../replies/keywords.store.ts'
import { endSenders } from '../senders/end-senders.ts'
import { CANCEL_TRIES_MAX, cancel } from '../sends/cancel.ts'
import { deleteCredentialsOf } from '../smpp-server/credentials.store.ts'
import { deleteTrialPeople } from '../trials/trial-people.store.ts'
import { cancelTrialsOf } from '../trials/trials.store.ts'
import { deleteAllWebhooks } from '../webhooks/webhooks.store.ts'
import { Failures } from '../workers/failures.ts'
import { type ClosingAccount, listClosingAccounts, listLeftCredits, listLiveMessageIds } from './closing.store.ts'

/*
 * The rest of the closing of an account, after its keys and sessions have ended. Each step is a transaction of its own and
 * may be repeated: a process that dies in between leaves the rest to the next turn. The account counts as suspended until
 * all of it is done, so nothing leaves meanwhile.
 */

const BATCH = 100
/** No request takes longer: afterwards no message of the account can be accepted any more. */
const SETTLED_SECONDS = 3_600
const RETURNED = 'The sub-account was closed.'

/**
 * Cancels messages that have not left and trials, removes webhooks and callbacks, ends automations, senders, keywords, grants and
 * looks, and returns credits of sub-accounts to the account above.
 */
export async function finishClosings(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const failures = new Failures()
  for (const account of await listClosingAccounts(pool, SETTLED_SECONDS)) {
    await failures.try(() => finishClosing(pool, account))
  }
  const returned = await returnCredits(pool)
  failures.throwFirst()
  return returned
}

async function finishClosing(pool: Pool, { id, isSettled }: ClosingAccount): Promise<void> {
  await pool.begin((database) => deleteAllWebhooks(database, id))
  await pool.begin((database) => deleteAllCallbacks(database, id))
  await pool.begin(async (database) => {
    for (const trial of await cancelTrialsOf(database, id)) await deleteTrialPeople(database, trial)
    await turnOffAllOf(database, id)
  })
  await pool.begin(async (database) => {
    await deleteKeywordsOf(database, id)
    await deleteGrantsOf(database, id)
    await deleteLooksOf(database, id)
    for (const request of await withdrawRequestsOf(database, id)) await recordRequestEvent(database, request)
    await endSenders(database, id)
    await deleteCredentialsOf(database, id)
  })
  const isLive = await cancelMessages(pool, id)
  if (isSettled && !isLive) await updateToFullyClosed(pool, id)
}

/** Whether the account had messages that were not over. */
async function cancelMessages(pool: Pool, accountId: number): Promise<boolean> {
  let isLive = false
  for (let afterId = 0; ; ) {
    const ids = await listLiveMessageIds(pool, { accountId, afterId, limit: BATCH })
    for (const id of ids) {
      isLive = true
      await retryBusy(CANCEL_TRIES_MAX, () => pool.begin((database) => cancel(database, { accountId, id }))).catch(
        (error) => {
          // Its last recipients are with a carrier, and end by themselves.
          if (!(error instanceof Refusal)) throw error
        }
      )
    }
    afterId = ids.at(-1) ?? 0
    if (ids.length < BATCH) return isLive
  }
}

async function returnCredits(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const left = await listLeftCredits(pool, BATCH)
  for (const { accountId, parentId, messageType, available: amount } of left) {
    // Another process may have moved them first: then there are too few, and nothing moves.
    const transfer = { fromId: accountId, toId: parentId, messageType, amount, note: RETURNED }
    await pool.begin((database) => transferCredits(database, transfer))
  }
  return { isMoreDue: left.length === BATCH }
}
