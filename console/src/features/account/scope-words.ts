import { defineWords } from '../../lib/language.ts'

/** The permissions of a key, in a word or two. */
export const scopeWords = defineWords(
  {
    read: 'read',
    send: 'send',
    contacts: 'contacts',
    webhooks: 'webhooks',
    account: 'account',
    people: 'people',
    binary: 'binary SMS',
    send_confirmed: 'confirmed sends'
  },
  {
    read: 'lecture',
    send: 'envoi',
    contacts: 'contacts',
    webhooks: 'webhooks',
    account: 'compte',
    people: 'personnes',
    binary: 'SMS binaires',
    send_confirmed: 'envois confirmés'
  }
)
