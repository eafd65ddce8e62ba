import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { askerOf, hashPassword } from '../people/passwords.ts'
import { AccountWithCredentialsView, personFields, toAccountFields, toPerson } from './account.ts'
import { openAccount } from './open-account.ts'
import { OPERATOR_ONLY, refuseUnlessOperator } from './operator.ts'

export const createAccount = operation({
  route: 'POST /accounts',
  id: 'createAccount',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Create an account (operator)',
  description:
    'Makes a top-level account, without credits, and answers its credentials, which are shown only here. It may have sub-accounts of its own.',
  body: Type.Object(personFields, { $id: 'AccountCreate' }),
  answer: AccountWithCredentialsView,
  example: {
    body: { email: 'contact@agence.example', password: 'a long enough one', social_reason: 'Agence Durand' },
    answer: {
      id: 30,
      email: 'contact@agence.example',
      social_reason: 'Agence Durand',
      phone_number: '',
      first_name: '',
      last_name: '',
      created_at: '2026-11-15T09:30:00.000Z',
      appId: 'app_5f2c9d0e8b7a6c5d4e3f2a1b',
      apikey: 'key_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBrZXk'
    }
  },
  refusals: {
    ...OPERATOR_ONLY,
    state_conflict: 'An account with this email exists already, or the Idempotency-Key is in use.'
  },
  async prepare({ caller, body }) {
    refuseUnlessOperator(caller)
    return hashPassword(body.password, askerOf(caller))
  },
  async handle({ caller, body, prepared, database, record }) {
    const { account, keyPair } = await database.begin(async (database) => {
      const opened = await openAccount(database, {
        parentId: null,
        ...toPerson(body),
        passwordHash: prepared,
        country: caller.country
      })
      await record(database, { accountId: opened.account.id, object: { kind: 'account', id: opened.account.id } })
      return opened
    })
    return {
      id: account.id,
      ...toAccountFields(account),
      created_at: account.createdAt.toISOString(),
      appId: keyPair.appId,
      apikey: keyPair.apiKey
    }
  }
})
