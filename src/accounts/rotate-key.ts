import Type from 'typebox'
import { databaseNow } from '../database/clock.ts'
import { notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { Nullable } from '../schemas/nullable.ts'
import { proveCaller } from '../second-factors/prove-again.ts'
import { PROOF_WITH_TOKEN, Proof, proofRefusals } from '../second-factors/second-factor.ts'
import { lockAccount } from './accounts.store.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import { findApiKey, findAppId, replaceApiKey } from './api-keys.store.ts'
import type { Callers } from './callers.ts'
import { NewKeyView, NO_MORE, newKeyExample, refuseMoreThanOwn, toKeyView } from './key.ts'

const OVERLAP_SECONDS_MAX = 7 * 86_400

export const rotateKey = (callers: Callers) =>
  operation({
    route: 'POST /keys/{id}/rotate',
    id: 'rotateKey',
    tag: 'Beyond',
    permission: 'people',
    summary: 'Rotate a key',
    description: `Makes a new secret for a key, shown only here. The old secret stays valid for \`overlap_seconds\`, so that programs can change over in peace; a secret of an earlier rotation ends at once. ${PROOF_WITH_TOKEN}`,
    body: Type.Object(
      {
        ...Proof,
        overlap_seconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: OVERLAP_SECONDS_MAX,
            description: 'At most seven days. Without it the old secret ends at once.'
          })
        )
      },
      { $id: 'KeyRotation' }
    ),
    answer: Type.Object(
      {
        ...NewKeyView.properties,
        previous_valid_until: Nullable(Type.String({ format: 'date-time', description: 'Null: it has ended.' }))
      },
      { $id: 'RotatedApiKey' }
    ),
    example: {
      body: { overlap_seconds: 86_400, current_password: 'correct horse battery' },
      answer: { ...newKeyExample, previous_valid_until: '2026-11-16T09:30:00.000Z' }
    },
    refusals: {
      ...NO_MORE,
      rate_limited: proofRefusals.rate_limited,
      state_conflict: 'The key has expired or was replaced, or the Idempotency-Key is in use.'
    },
    prepare: ({ caller, body, pool, address }) => proveCaller(pool, caller, { address, body }),
    async handle({ caller, params, body, database, afterCommit, record }) {
      const { accountId } = caller
      const apiKey = newApiKey()
      const rotated = await database.begin(async (database) => {
        await lockAccount(database, accountId)
        const key = await findApiKey(database, { accountId, id: params.id })
        if (!key) throw notFound('key')
        if (key.replacedBy !== null) throw conflict('This key was replaced by another; rotate that one.')
        if (key.expiresAt && key.expiresAt <= databaseNow()) throw conflict('This key has expired; change its expiry.')
        await refuseMoreThanOwn(database, caller, key)
        const { previousValidUntil } = await replaceApiKey(database, {
          accountId,
          id: key.id,
          keyHash: hashApiKey(apiKey),
          overlapSeconds: body.overlap_seconds ?? 0
        })
        await record(database, { object: { kind: 'key', id: key.id } })
        return {
          ...toKeyView({ ...key, lastUsedAt: null }),
          appId: await findAppId(database, accountId),
          apikey: apiKey,
          previous_valid_until: previousValidUntil?.toISOString() ?? null
        }
      })
      afterCommit(() => callers.forget(accountId))
      return rotated
    }
  })

function conflict(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}
