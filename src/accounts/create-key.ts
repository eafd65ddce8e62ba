import { strict as assert } from 'node:assert'
import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { proveCaller } from '../second-factors/prove-again.ts'
import { PROOF_WITH_TOKEN, Proof, proofRefusals } from '../second-factors/second-factor.ts'
import { lockAccount } from './accounts.store.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import { countApiKeys, findApiKey, findAppId, insertApiKey } from './api-keys.store.ts'
import {
  findNetworkProblems,
  KEYS_MAX,
  keyFields,
  NewKeyView,
  NO_MORE,
  newKeyExample,
  readExpiry,
  refuseIdleLimit,
  refuseMoreThanOwn,
  toKeyView
} from './key.ts'
import { refuseAbove } from './limits.ts'

export const createKey = operation({
  route: 'POST /keys',
  id: 'createKey',
  tag: 'Beyond',
  permission: 'people',
  summary: 'Create a key',
  description: `Makes a key with scopes of its own, and answers it, which is shown only here. With \`addresses\` it works from these networks only; from \`expires_at\` on it is refused. An account has at most ${KEYS_MAX} keys, unless the operator allows more. ${PROOF_WITH_TOKEN}`,
  body: Type.Object({ ...keyFields, ...Proof }, { $id: 'ApiKeyCreation' }),
  answer: NewKeyView,
  example: {
    body: {
      name: 'Shop',
      scopes: ['read', 'send'],
      addresses: ['192.0.2.0/24'],
      current_password: 'correct horse battery'
    },
    answer: newKeyExample
  },
  missing: findNetworkProblems,
  refusals: {
    ...NO_MORE,
    rate_limited: proofRefusals.rate_limited,
    state_conflict: 'The account has as many keys as it may have, or the Idempotency-Key is in use.'
  },
  prepare: ({ caller, body, pool, address }) => proveCaller(pool, caller, { address, body }),
  async handle({ caller, body, database, record }) {
    const { accountId } = caller
    const apiKey = newApiKey()
    const { name, scopes, addresses = [] } = body
    const expiresAt = readExpiry(body.expires_at)
    const creditsPerDay = body.credits_per_day ?? null
    refuseIdleLimit({ scopes, creditsPerDay })
    return database.begin(async (database) => {
      await refuseMoreThanOwn(database, caller, { scopes, addresses, expiresAt })
      // Under the lock, so that two keys made at once are counted one after the other.
      await lockAccount(database, accountId)
      refuseAbove(caller.ownLimits.keys ?? KEYS_MAX, 1 + (await countApiKeys(database, accountId)), 'keys')
      const fields = { accountId, name, scopes, addresses, expiresAt, creditsPerDay, isFirst: false }
      const { id } = await insertApiKey(database, { ...fields, keyHash: hashApiKey(apiKey) })
      const key = await findApiKey(database, { accountId, id })
      assert(key)
      await record(database, {
        object: { kind: 'key', id },
        changes: {
          name: [null, name],
          scopes: [null, scopes],
          addresses: [null, addresses],
          credits_per_day: [null, creditsPerDay]
        }
      })
      return { ...toKeyView(key), appId: await findAppId(database, accountId), apikey: apiKey }
    })
  }
})
