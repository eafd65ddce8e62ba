import Type from 'typebox'
import { eraseContacts } from '../contacts/contacts.store.ts'
import { operation } from '../http/operation.ts'
import { eraseStop } from '../stops/erased-stops.store.ts'
import { readNumber } from './number.ts'

export const eraseNumber = operation({
  route: 'DELETE /contacts/by-number/{number}',
  id: 'eraseNumber',
  tag: 'Beyond',
  summary: 'Erase a number',
  description:
    'Removes everything the account holds about a number. An opt-out goes on being honoured: a keyed hash stays, which does not tell the number. To lift it, add the STOP again and delete it.',
  answer: Type.Object({
    success: Type.Boolean(),
    message: Type.String(),
    contacts: Type.Integer({ description: 'Contacts removed, over all lists.' }),
    stops: Type.Integer({ description: 'Opt-outs replaced by a hash: 0 or 1.' })
  }),
  example: { answer: { success: true, message: 'The number was erased.', contacts: 2, stops: 1 } },
  refusals: { invalid_input: 'That is not a phone number.' },
  async handle({ caller, params, database }) {
    const key = { accountId: caller.accountId, phone: readNumber(params.number, caller.country) }
    return database.begin(async (database) => {
      const contacts = await eraseContacts(database, key)
      const stops = await eraseStop(database, key)
      const message = contacts + stops === 0 ? 'Nothing was held about this number.' : 'The number was erased.'
      return { success: true, message, contacts, stops }
    })
  }
})
