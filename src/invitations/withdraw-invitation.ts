import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { withdrawInvitation as withdraw } from './invitations.store.ts'

export const withdrawInvitation = operation({
  route: 'DELETE /people/invitations/{id}',
  id: 'withdrawInvitation',
  tag: 'Beyond',
  permission: 'people',
  summary: 'Withdraw an invitation',
  description: 'The link no longer works. The person can be invited again.',
  answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
  example: { answer: { success: true, message: 'The invitation is withdrawn.' } },
  async handle({ caller, params, database, record }) {
    await database.begin(async (database) => {
      const isWithdrawn = await withdraw(database, { accountId: caller.accountId, id: params.id })
      if (!isWithdrawn) throw notFound('invitation')
      await record(database, { object: { kind: 'invitation', id: params.id } })
    })
    return { success: true, message: 'The invitation is withdrawn.' }
  }
})
