import type { Database } from '../database/database.ts'
import { deleteGrantsOf, lockGrants } from '../numbers/number-grants.store.ts'
import { raiseRegisterVersion } from './register.store.ts'
import { disableSendersOf } from './senders.store.ts'

const CLOSED = 'The account is closed.'

/** Ends what a closed account may write as. May be repeated: a request of before may still declare a sender. */
export async function endSenders(database: Database, accountId: number): Promise<void> {
  await lockGrants(database)
  const disabled = await disableSendersOf(database, { accountId, reason: CLOSED })
  const revoked = await deleteGrantsOf(database, accountId)
  if (disabled + revoked > 0) await raiseRegisterVersion(database)
}
