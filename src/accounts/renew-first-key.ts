import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { proveCaller } from '../second-factors/prove-again.ts'
import { PROOF_WITH_TOKEN, Proof, proofRefusals } from '../second-factors/second-factor.ts'
import { KeyPairView } from './account.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import { updateFirstKey } from './api-keys.store.ts'
import type { Callers } from './callers.ts'
import { NO_MORE, refuseGiving } from './key.ts'
import { type FindManaged, findForOperator, findForParent, refuseClosed } from './managed-account.ts'
import { OPERATOR_ONLY } from './operator.ts'

const CLOSED = {
  state_conflict: 'The account is closed, or the Idempotency-Key is in use.',
  rate_limited: proofRefusals.rate_limited
}

export const renewAccountKey = (callers: Callers) =>
  renewFirstKey(
    {
      route: 'POST /accounts/{id}/key',
      id: 'renewAccountKey',
      summary: 'New first key of an account (operator)',
      refusals: { ...OPERATOR_ONLY, ...CLOSED }
    },
    { find: findForOperator, callers }
  )

export const renewSubAccountKey = (callers: Callers) =>
  renewFirstKey(
    {
      route: 'POST /subaccount/{id}/key',
      id: 'renewSubAccountKey',
      summary: 'New first key of a sub-account',
      refusals: { ...NO_MORE, ...CLOSED }
    },
    { find: findForParent, callers }
  )

function renewFirstKey<Route extends 'POST /accounts/{id}/key' | 'POST /subaccount/{id}/key'>(
  parts: { route: Route; id: string; summary: string; refusals: Partial<typeof OPERATOR_ONLY & typeof CLOSED> },
  { find, callers }: { find: FindManaged; callers: Callers }
) {
  return operation({
    ...parts,
    tag: 'Beyond',
    permission: 'people',
    description: `Makes a new first key for an account that has lost its own, shown only here. The old one ends at once; other keys stay. ${PROOF_WITH_TOKEN}`,
    body: Type.Object(Proof, { $id: 'FirstKeyRenewal' }),
    answer: KeyPairView,
    example: {
      body: { current_password: 'correct horse battery' },
      answer: { appId: 'app_5f2c9d0e8b7a6c5d4e3f2a1b', apikey: 'key_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBrZXk' }
    },
    prepare: ({ caller, body, pool, address }) => proveCaller(pool, caller, { address, body }),
    async handle({ caller, params, database, afterCommit, record }) {
      const { id } = params as { id: number }
      const apiKey = newApiKey()
      const { appId } = await database.begin(async (database) => {
        const account = await find(database, caller, id)
        await refuseGiving(database, caller)
        refuseClosed(account)
        const pair = await updateFirstKey(database, { accountId: account.id, keyHash: hashApiKey(apiKey) })
        await record(database, { accountId: account.id, object: { kind: 'key', id: 'first' } })
        return pair
      })
      afterCommit(() => callers.forget(id))
      return { appId, apikey: apiKey }
    }
  })
}
