import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { ContactName, contactNameExample, toContactName } from './contact-name.ts'
import { findNamedPhones } from './contacts.store.ts'

export const findContacts = operation({
  route: 'GET /contacts',
  id: 'findContacts',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Find people by name or number',
  description:
    'People of all lists of the account, each number once, those of the newest contacts first; with `search`, of the newest 100,000 contacts those whose name, number or mail contains it. Everything that is known of one number is at `GET /contacts/by-number/{number}`.',
  query: Type.Object({
    search: Type.Optional(Type.String({ maxLength: 255, description: 'A part of a name, number or mail.' })),
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 10, description: 'How many people at most.' })
  }),
  answer: Type.Array(ContactName),
  example: { answer: [contactNameExample] },
  mayLag: true,
  async handle({ caller: { accountId }, query: { search = '', limit }, database }) {
    return (await findNamedPhones(database, { accountId, search, limit })).map(toContactName)
  }
})
