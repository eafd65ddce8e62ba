import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { proveCaller } from '../second-factors/prove-again.ts'
import { PROOF_WITH_TOKEN, Proof, proofRefusals } from '../second-factors/second-factor.ts'
import { KeyPairView } from './account.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import { updateFirstKey } from './api-keys.store.ts'
import type { Callers } from './callers.ts'
import { NO_MORE, refuseGiving } from './key.ts'

export const rotateApiKey = (callers: Callers) =>
  operation({
    route: 'POST /users/apikey/rotate',
    id: 'rotateApiKey',
    tag: 'Beyond',
    permission: 'people',
    summary: 'Rotate my key',
    description: `Makes a new key, shown only here. The old one ends at once. ${PROOF_WITH_TOKEN}`,
    body: Type.Object(Proof, { $id: 'ApiKeyRotation' }),
    answer: KeyPairView,
    example: {
      body: { current_password: 'correct horse battery' },
      answer: { appId: 'app_5f2c9d0e8b7a6c5d4e3f2a1b', apikey: 'key_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBrZXk' }
    },
    refusals: { ...NO_MORE, rate_limited: proofRefusals.rate_limited },
    async prepare({ caller, body, pool, address }) {
      await refuseGiving(pool, caller)
      await proveCaller(pool, caller, { address, body })
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
