import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { ContactName, contactNameExample, toContactName } from './contact-name.ts'
import { listNamesOfPhones } from './contacts.store.ts'

const NUMBERS_MAX = 100

export const listContactNames = operation({
  route: 'POST /contacts/names',
  id: 'listContactNames',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Names of numbers',
  description:
    'The names that contacts have for numbers, of all lists of the account; of several, that of the newest contact. A number without a name is left out. Everything that is known of one number is at `GET /contacts/by-number/{number}`.',
  body: Type.Object({
    numbers: Type.Array(Type.String({ maxLength: 255 }), {
      minItems: 1,
      maxItems: NUMBERS_MAX,
      description: 'Phone numbers, national or international, 1 to 100.'
    })
  }),
  answer: Type.Array(ContactName),
  example: {
    body: { numbers: ['+33639980001', '06 39 98 00 02'] },
    answer: [contactNameExample]
  },
  mayLag: true,
  async handle({ caller: { accountId, country }, body: { numbers }, database }) {
    const phones = numbers.flatMap((number) => parsePhoneNumber(number, country)?.e164 ?? [])
    return (await listNamesOfPhones(database, { accountId, phones })).map(toContactName)
  }
})
