import Type from 'typebox'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { CreditsModeSchema, personFields, SubAccountWithCredentialsView, toAccountFields, toPerson } from './account.ts'
import { openAccount } from './open-account.ts'
import { hashPassword } from './passwords.ts'

export const createSubAccount = operation({
  route: 'POST /subaccount',
  id: 'createSubAccount',
  tag: 'Sous-Comptes',
  summary: 'Create a sub-account',
  description:
    'Makes an account below this one, without credits, and answers its credentials, which are shown only here. A sub-account can’t have sub-accounts of its own.',
  body: Type.Object(
    { ...personFields, credits_mode: Type.Optional(CreditsModeSchema) },
    { $id: 'SubAccountCreateDto' }
  ),
  answer: SubAccountWithCredentialsView,
  example: {
    body: {
      email: 'lea@boutique.example',
      firstName: 'Léa',
      lastName: 'Martin',
      phoneNumber: '06 39 98 00 01',
      password: 'a long enough one',
      social_reason: 'Boutique Martin',
      credits_mode: 'self'
    },
    answer: {
      subaccount_id: 12,
      email: 'lea@boutique.example',
      social_reason: 'Boutique Martin',
      phone_number: '+33639980001',
      first_name: 'Léa',
      last_name: 'Martin',
      credits_mode: 'self',
      appId: 'app_5f2c9d0e8b7a6c5d4e3f2a1b',
      apikey: 'key_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBrZXk'
    }
  },
  refusals: {
    forbidden: 'A sub-account can’t create sub-accounts.',
    state_conflict: 'An account with this email exists already, or the Idempotency-Key is in use.'
  },
  async prepare({ caller, body }) {
    if (caller.parentId !== null) throw new Refusal(403, 'forbidden', 'A sub-account can’t create sub-accounts.')
    return hashPassword(body.password)
  },
  async handle({ caller, body, prepared, database }) {
    const { account, keyPair } = await openAccount(database, {
      parentId: caller.accountId,
      ...toPerson(body),
      passwordHash: prepared,
      creditsMode: body.credits_mode,
      country: caller.country
    })
    return {
      subaccount_id: account.id,
      ...toAccountFields(account),
      credits_mode: account.creditsMode,
      appId: keyPair.appId,
      apikey: keyPair.apiKey
    }
  }
})
