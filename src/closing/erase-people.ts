import { deleteAlarmsOf } from '../alarms/alarms.store.ts'
import { deleteAutoRepliesOf } from '../auto-replies/auto-replies.store.ts'
import { deleteAutomationsOf } from '../automations/automations.store.ts'
import { hideListsOf } from '../contacts/contact-lists.store.ts'
import { deleteRequestsOf } from '../credit-requests/credit-requests.store.ts'
import type { Pool } from '../database/database.ts'
import { deleteNoticesOf } from '../notices/notices.store.ts'
import { deleteOldMemberships, eraseLeftPeople } from '../people/erasures.store.ts'
import { deletePicturesOf } from '../pictures/pictures.store.ts'
import { deleteCannedRepliesOf } from '../replies/canned-replies.store.ts'
import { deleteFactors } from '../second-factors/second-factors.store.ts'
import { deleteSendersOf } from '../senders/senders.store.ts'
import { deleteIdentitiesOf } from '../single-sign-on/sign-on.store.ts'
import { deleteTemplatesOf } from '../templates/templates.store.ts'
import { deleteTrialsOf } from '../trials/trials.store.ts'
import { listLongClosed } from './closing.store.ts'

/**
 * Removes the personal data of accounts that were closed for as long as data is kept: people who belong to no other account
 * lose their name, email, password, second factor and identities; contact lists are emptied; templates, canned
 * replies, auto-replies, pictures, automations, trials, requests for credits, alarms, notices and senders with their proofs are
 * removed. STOPs stay: they prove that a phone was not written to again. Consents stay: they prove that messages of the past
 * were allowed.
 */
export async function erasePeople(pool: Pool, { days, limit }: { days: number; limit: number }): Promise<number> {
  const accountIds = await listLongClosed(pool, { days, limit })
  if (accountIds.length === 0) return 0
  await pool.begin(async (database) => {
    await hideListsOf(database, accountIds)
    await deleteTemplatesOf(database, accountIds)
    await deletePicturesOf(database, accountIds)
    await deleteAutomationsOf(database, accountIds)
    await deleteAutoRepliesOf(database, accountIds)
    await deleteCannedRepliesOf(database, accountIds)
    await deleteSendersOf(database, accountIds)
    await deleteTrialsOf(database, accountIds)
    await deleteRequestsOf(database, accountIds)
    await deleteAlarmsOf(database, accountIds)
    await deleteNoticesOf(database, accountIds)
    const erased = await eraseLeftPeople(database, await deleteOldMemberships(database, accountIds))
    await deleteIdentitiesOf(database, erased)
    for (const personId of erased) await deleteFactors(database, personId)
  })
  return accountIds.length
}
