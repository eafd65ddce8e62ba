import Type from 'typebox'
import { lockAccount } from '../accounts/accounts.store.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteBindSubscription } from '../webhooks/bind-subscriptions.store.ts'
import { countCredentials, deleteCredential, findCredential } from './credentials.store.ts'

export const deleteSmppCredential = operation({
  route: 'DELETE /smpp/credentials/{id}',
  id: 'deleteSmppCredential',
  tag: 'Beyond',
  permission: 'people',
  summary: 'Delete SMPP credentials',
  description:
    'Ends the credentials; their binds end within a second. Receipts and replies that wait are kept for other credentials of the account.',
  answer: Type.Object({ success: Type.Boolean() }),
  example: { answer: { success: true } },
  async handle({ caller: { accountId }, params, database, record }) {
    await database.begin(async (database) => {
      await lockAccount(database, accountId)
      const credential = await findCredential(database, { accountId, id: params.id })
      if (!credential) throw notFound('SMPP credential')
      await deleteCredential(database, { accountId, id: credential.id })
      // Without credentials there is no bind to tell, and nothing is recorded for one.
      if ((await countCredentials(database, accountId)) === 0) await deleteBindSubscription(database, accountId)
      await record(database, {
        object: { kind: 'smpp_credential', id: credential.id },
        changes: { system_id: [credential.systemId, null] }
      })
    })
    return { success: true }
  }
})
