import Type from 'typebox'
import { notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { raiseRegisterVersion } from './register.store.ts'
import { deleteSender, lockSender } from './senders.store.ts'

export const withdrawSender = operation({
  route: 'DELETE /senders/{id}',
  id: 'withdrawSender',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Withdraw a sender',
  description:
    'Takes a sender and its proof out of the register. A disabled one stays: it could be declared anew otherwise.',
  answer: Type.Object({ success: Type.Boolean(), message: Type.String() }, { $id: 'SenderWithdrawn' }),
  example: { answer: { success: true, message: 'The sender MYSHOP is withdrawn.' } },
  refusals: { state_conflict: 'The sender is disabled, or the Idempotency-Key is in use.' },
  async handle({ caller: { accountId }, params, database, record }) {
    const key = { accountId, id: params.id }
    return database.begin(async (database) => {
      const sender = await lockSender(database, key)
      if (!sender) throw notFound('sender')
      if (sender.state === 'disabled') {
        throw new Refusal(409, 'state_conflict', `The sender ${sender.name} is disabled: it can’t be withdrawn.`)
      }
      await deleteSender(database, key)
      await record(database, { object: { kind: 'sender', id: sender.id }, changes: { name: [sender.name, null] } })
      await raiseRegisterVersion(database)
      return { success: true, message: `The sender ${sender.name} is withdrawn.` }
    })
  }
})
