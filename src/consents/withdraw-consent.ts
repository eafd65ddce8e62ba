import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { readNumber } from '../phone-numbers/path-number.ts'
import { PURPOSE_MAX } from './consent.ts'
import { withdrawConsents } from './consents.store.ts'

export const withdrawConsent = operation({
  route: 'PUT /consents/by-number/{number}/withdraw',
  id: 'withdrawConsent',
  tag: 'Beyond',
  permission: 'contacts',
  summary: 'Withdraw the consent of a person',
  description:
    'Ends what holds of a number; the records stay. Marketing that has not left to it is dropped when its turn comes, with the credits back, where consent is enforced. A later consent is a record of its own.',
  body: Type.Object(
    {
      reason: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Why; `api` unless given.' })),
      purpose: Type.Optional(
        Type.String({ minLength: 1, maxLength: PURPOSE_MAX, description: 'Only this purpose; all unless given.' })
      )
    },
    { $id: 'ConsentWithdrawal' }
  ),
  answer: Type.Object({ success: Type.Boolean(), message: Type.String(), withdrawn: Type.Integer() }),
  example: {
    body: { reason: 'asked at the counter' },
    answer: { success: true, message: '1 consents withdrawn.', withdrawn: 1 }
  },
  refusals: { invalid_input: 'That is not a phone number.', not_found: 'No consent of this number holds.' },
  async handle({ caller: { accountId, country }, params, body, database, record }) {
    const phone = readNumber(params.number, country)
    const { reason = 'api', purpose } = body
    const withdrawn = await database.begin(async (database) => {
      const withdrawn = await withdrawConsents(database, { accountId, phones: [phone], reason, only: { purpose } })
      if (withdrawn === 0) throw notFound('consent')
      await record(database, { changes: { withdrawn: [0, withdrawn] } })
      return withdrawn
    })
    return { success: true, message: `${withdrawn} consents withdrawn.`, withdrawn }
  }
})
