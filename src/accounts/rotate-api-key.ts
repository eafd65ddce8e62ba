import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { CurrentPassword, refuseWrongPassword } from '../people/current-password.ts'
import { KeyPairView } from './account.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import { updateFirstKey } from './api-keys.store.ts'
import type { Callers } from './callers.ts'

export const rotateApiKey = (callers: Callers) =>
  operation({
    route: 'POST /users/apikey/rotate',
    id: 'rotateApiKey',
    tag: 'Beyond',
    permission: 'people',
    summary: 'Rotate my key',
    description:
      'Makes a new key, shown only here. The old one ends at once. A request with a token needs `current_password`, so that a stolen token can’t take the account over.',
    body: Type.Object(
      { current_password: Type.Optional(CurrentPassword('Required with a token; ignored with a key.')) },
      { $id: 'ApiKeyRotation' }
    ),
    answer: KeyPairView,
    example: {
      body: { current_password: 'correct horse battery' },
      answer: { appId: 'app_5f2c9d0e8b7a6c5d4e3f2a1b', apikey: 'key_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBrZXk' }
    },
    refusals: { rate_limited: 'Ten wrong passwords for this account within a minute, or too many from this address.' },
    async prepare({ caller, body, pool, address }) {
      const { personId } = caller
      if (personId !== null) await refuseWrongPassword(pool, personId, { address, password: body.current_password })
    },
    async handle({ caller, database, afterCommit, record }) {
      const apiKey = newApiKey()
      const { appId } = await database.begin(async (database) => {
        await record(database, { changes: { key: 'hidden' } })
        return updateFirstKey(database, { accountId: caller.accountId, keyHash: hashApiKey(apiKey) })
      })
      afterCommit(() => callers.forget(caller.accountId))
      return { appId, apikey: apiKey }
    }
  })
