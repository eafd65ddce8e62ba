import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findForm } from '../messages/message-forms.store.ts'
import { findMessage } from '../messages/messages.store.ts'
import { listPhones } from '../recipients/recipients.store.ts'
import { Nullable } from '../schemas/nullable.ts'

/** More numbers are no longer looked through by people. */
const NUMBERS_MAX = 10_000

export const readMessageForm = operation({
  route: 'GET /messages/{id}/form',
  id: 'readMessageForm',
  tag: 'Beyond',
  permission: 'read',
  summary: 'The fields that a message was sent with',
  description:
    'The fields of the send as they were written, with variables and places: to send it again, or to send another one that `replaces` it. Kept for messages with a name, scheduled messages, and messages to more than 50 recipients. Of others, `kind` is null. Numbers are those of the recipients; values of variables and files are not kept.',
  answer: Type.Object(
    {
      kind: Nullable(
        Type.Enum(['numbers', 'dynamic', 'lists', 'file', 'rcs'], {
          description: 'Where the recipients came from. An RCS has contacts, `fields.contactlist`, or both.'
        })
      ),
      fields: Type.Object({}, { additionalProperties: true, description: 'The fields of the send.' }),
      numbers: Type.Array(Type.String(), {
        description: 'The numbers of the recipients, unless they came from lists alone; up to 10,000.'
      }),
      has_all_numbers: Type.Boolean({ description: 'Whether `numbers` has all of them.' })
    },
    { $id: 'MessageForm' }
  ),
  example: {
    answer: {
      kind: 'numbers',
      fields: { content: 'Bonjour !', sender: 'CHAPPE', name: 'Winter sale' },
      numbers: ['+33639980013', '+33639980014'],
      has_all_numbers: true
    }
  },
  async handle({ caller, params, database }) {
    const key = { accountId: caller.accountId, id: params.id }
    const message = await findMessage(database, key)
    if (!message) throw notFound('message')
    const form = await findForm(database, key)
    if (!form) return { kind: null, fields: {}, numbers: [], has_all_numbers: false }
    const isOfLists = form.fields.contactlist !== undefined || form.fields.segments !== undefined
    const numbers = isOfLists ? [] : await listPhones(database, key, { limit: NUMBERS_MAX })
    return { ...form, numbers, has_all_numbers: !isOfLists && numbers.length === message.recipientsCount }
  }
})
