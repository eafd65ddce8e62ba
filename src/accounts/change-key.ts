import Type from 'typebox'
import { notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { lockAccount } from './accounts.store.ts'
import { findApiKey, updateApiKey } from './api-keys.store.ts'
import type { Callers } from './callers.ts'
import {
  findNetworkProblems,
  KeyView,
  keyExample,
  keyFields,
  NO_MORE,
  readExpiry,
  refuseIdleLimit,
  refuseMoreThanOwn,
  toKeyView
} from './key.ts'

export const changeKey = (callers: Callers) =>
  operation({
    route: 'PUT /keys/{id}',
    id: 'changeKey',
    tag: 'Beyond',
    permission: 'people',
    summary: 'Change a key',
    description:
      'Changes the fields that are given, at once in every process. An `expires_at` of null removes the expiry. The first key keeps every scope.',
    body: Type.Object(
      { ...keyFields, name: Type.Optional(keyFields.name), scopes: Type.Optional(keyFields.scopes) },
      { $id: 'ApiKeyChange' }
    ),
    answer: KeyView,
    example: { body: { scopes: ['read'] }, answer: { ...keyExample, scopes: ['read'] } },
    missing: findNetworkProblems,
    refusals: {
      ...NO_MORE,
      state_conflict: 'The scopes of the first key can’t change, or the key was replaced by another.'
    },
    async handle({ caller, params, body, database, afterCommit, record }) {
      const { accountId } = caller
      const expiresAt = body.expires_at === undefined ? undefined : readExpiry(body.expires_at)
      const changed = await database.begin(async (database) => {
        await lockAccount(database, accountId)
        const key = await findApiKey(database, { accountId, id: params.id })
        if (!key) throw notFound('key')
        if (key.replacedBy !== null) throw conflict('This key was replaced by another, and can only be deleted.')
        const scopes = body.scopes ?? key.scopes
        if (key.isFirst && !key.scopes.every((scope) => scopes.includes(scope))) {
          throw conflict('The first key keeps every scope; make another key with fewer.')
        }
        const changes = {
          name: body.name ?? key.name,
          scopes,
          addresses: body.addresses ?? key.addresses,
          expiresAt: expiresAt === undefined ? key.expiresAt : expiresAt,
          creditsPerDay: body.credits_per_day === undefined ? key.creditsPerDay : body.credits_per_day
        }
        refuseIdleLimit(changes)
        await refuseMoreThanOwn(database, caller, { id: key.id, ...changes })
        await updateApiKey(database, { accountId, id: key.id, ...changes })
        await record(database, {
          object: { kind: 'key', id: key.id },
          changes: {
            name: [key.name, changes.name],
            scopes: [key.scopes, changes.scopes],
            addresses: [key.addresses, changes.addresses],
            expires_at: [key.expiresAt?.toISOString() ?? null, changes.expiresAt?.toISOString() ?? null],
            credits_per_day: [key.creditsPerDay, changes.creditsPerDay]
          }
        })
        return { ...key, ...changes }
      })
      afterCommit(() => callers.forget(accountId))
      return toKeyView(changed)
    }
  })

function conflict(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}
