import Type from 'typebox'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { askerOf, hashPassword } from '../people/passwords.ts'
import { CreditsModeSchema, personFields, SubAccountWithCredentialsView, toAccountFields, toPerson } from './account.ts'
import { countSubAccounts, lockAccount } from './accounts.store.ts'
import { refuseGiving } from './key.ts'
import { refuseAbove } from './limits.ts'
import { openAccount } from './open-account.ts'
import { limitTakenEmails, TOO_MANY_TAKEN } from './taken-emails.ts'

export const createSubAccount = operation({
  route: 'POST /subaccount',
  id: 'createSubAccount',
  tag: 'Sous-Comptes',
  permission: 'account',
  summary: 'Create a sub-account',
  description:
    'Makes an account below this one, without credits, and answers its credentials, which are shown only here. A sub-account can’t have sub-accounts of its own. The service sets how many sub-accounts an account may have; an account and its sub-accounts share the limits of the service. A taken email is a 409; after 20 taken emails within an hour, every email is a 429 until the hour is over.',
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
    forbidden: 'A sub-account can’t create sub-accounts, and a key can’t give more than it has.',
    state_conflict:
      'An account with this email exists already, the account has as many sub-accounts as it may have, or the Idempotency-Key is in use.',
    rate_limited: TOO_MANY_TAKEN
  },
  async prepare({ caller, body, pool }) {
    if (caller.parentId !== null) throw new Refusal(403, 'forbidden', 'A sub-account can’t create sub-accounts.')
    // Its key could spend the credits of this account without the bounds of the key that made it.
    await refuseGiving(pool, caller)
    const passwordHash = await hashPassword(body.password, askerOf(caller))
    // After the hashing, which few requests do at once: a burst of emails is counted nearly one by one.
    await limitTakenEmails(pool, caller, body.email)
    return passwordHash
  },
  async handle({ caller, body, prepared, database, record }) {
    const { account, keyPair } = await database.begin(async (database) => {
      // Under the parent's lock, two sub-accounts that are made at once are counted one after the other.
      await lockAccount(database, caller.accountId)
      const count = 1 + (await countSubAccounts(database, caller.accountId))
      refuseAbove(caller.ownLimits.subAccounts, count, 'sub-accounts')
      const opened = await openAccount(database, {
        parentId: caller.accountId,
        ...toPerson(body),
        passwordHash: prepared,
        creditsMode: body.credits_mode,
        country: caller.country
      })
      await record(database, { accountId: opened.account.id, object: { kind: 'account', id: opened.account.id } })
      return opened
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
