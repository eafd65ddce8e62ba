import { operation } from '../http/operation.ts'
import { KeyPairView } from './account.ts'
import { updateApiKey } from './accounts.store.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import type { Callers } from './callers.ts'

export const rotateApiKey = (callers: Callers) =>
  operation({
    route: 'POST /users/apikey/rotate',
    id: 'rotateApiKey',
    tag: 'Beyond',
    summary: 'Rotate my key',
    description: 'Makes a new key, shown only here. The old one ends at once.',
    answer: KeyPairView,
    example: {
      answer: { appId: 'app_5f2c9d0e8b7a6c5d4e3f2a1b', apikey: 'key_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBrZXk' }
    },
    async handle({ caller, database, afterCommit }) {
      const apiKey = newApiKey()
      const { appId } = await database.begin((database) =>
        updateApiKey(database, { accountId: caller.accountId, apiKeyHash: hashApiKey(apiKey) })
      )
      afterCommit(() => callers.forget(caller.accountId))
      return { appId, apikey: apiKey }
    }
  })
