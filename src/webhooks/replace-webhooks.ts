import type { Static } from 'typebox'
import { refuseAbove } from '../accounts/limits.ts'
import type { Database } from '../database/database.ts'
import { type InputProblem, invalidInput } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { EVENT_TYPES } from './event-type.ts'
import { createLookup, type Lookup } from './lookup.ts'
import { newSecret } from './signature.ts'
import { checkTarget, readTarget } from './target.ts'
import {
  keyOf,
  secretExample,
  toConfigView,
  WEBHOOKS_MAX,
  type Webhook,
  WebhookConfigView,
  WebhooksGiven,
  webhookExample
} from './webhook.ts'
import {
  countSecrets,
  deleteWebhooks,
  insertSecret,
  insertWebhooks,
  listWebhooks,
  lockWebhooksOf,
  updateSubscriptions,
  updateTurns,
  updateWebhooks
} from './webhooks.store.ts'

type Given = Static<typeof WebhooksGiven>['webhooks'][number]

export const replaceWebhooks = ({ allowPrivate, onQueued }: { allowPrivate: boolean; onQueued: () => void }) => {
  const lookup = createLookup({ allowPrivate })
  return operation({
    route: 'PUT /webhooks',
    id: 'replaceWebhooks',
    tag: 'Webhooks',
    permission: 'webhooks',
    summary: 'Webhook configuration of the account',
    description: `Replaces the configuration as a whole: at most ${WEBHOOKS_MAX} webhooks, several of a type if you like. A webhook with the type and URL of an existing one keeps its id and history. A webhook that is no longer given is removed, and its open deliveries have failed. The first configuration makes the secret that deliveries are signed with, and only its answer shows it.`,
    body: WebhooksGiven,
    answer: WebhookConfigView,
    example: {
      body: { webhooks: [{ type: 'replies', url: webhookExample.url }] },
      answer: {
        webhooks: [{ ...webhookExample, last_status: null }],
        available_types: [...EVENT_TYPES],
        secret: secretExample
      }
    },
    refusals: { state_conflict: 'More webhooks than the account may have, or the Idempotency-Key is in use.' },
    missing: ({ webhooks }) => findProblems(webhooks, allowPrivate),
    // Names are resolved here, outside of the transaction: that may take seconds.
    prepare: ({ body }) => refusePrivateNames(body.webhooks, { allowPrivate, lookup }),
    async handle({ caller: { accountId, ownLimits }, body, database, afterCommit, record }) {
      const { config, secret } = await database.begin(async (database) => {
        await lockWebhooksOf(database, accountId)
        refuseAbove(ownLimits.webhooks, body.webhooks.length, 'webhooks')
        const before = await listWebhooks(database, accountId)
        await replace(database, accountId, body.webhooks)
        const secret = body.webhooks.length > 0 ? await makeFirstSecret(database, accountId) : undefined
        const after = await listWebhooks(database, accountId)
        await record(database, { changes: { webhooks: [before.map(describe), after.map(describe)] } })
        return { config: toConfigView(after), secret }
      })
      afterCommit(onQueued)
      return secret === undefined ? config : { ...config, secret }
    }
  })
}

/** Problems that a schema cannot find, reported along with those it finds: the body is not checked yet. */
function findProblems(webhooks: unknown, allowPrivate: boolean): InputProblem[] {
  if (!Array.isArray(webhooks) || webhooks.length > WEBHOOKS_MAX) return []
  const first = new Map<string, number>()
  return webhooks.flatMap((webhook: Partial<Given> | null, index): InputProblem[] => {
    const { type, url } = webhook ?? {}
    if (typeof url !== 'string') return []
    const path = `webhooks[${index}].url`
    const read = readTarget(url, { allowPrivate })
    if ('problem' in read) return [{ path, message: read.problem }]
    if (typeof type !== 'string') return []
    const key = keyOf({ type, url })
    const same = first.get(key)
    if (same !== undefined)
      return [{ path, message: `must differ from webhooks[${same}].url, which has the same type` }]
    first.set(key, index)
    return []
  })
}

async function refusePrivateNames(
  webhooks: readonly Given[],
  options: { allowPrivate: boolean; lookup: Lookup }
): Promise<undefined> {
  const read = await Promise.all(webhooks.map(({ url }) => checkTarget(url, options)))
  const problems = read.flatMap((target, index) =>
    'problem' in target ? [{ path: `webhooks[${index}].url`, message: target.problem }] : []
  )
  if (problems.length > 0) throw invalidInput(problems)
}

async function replace(database: Database, accountId: number, given: readonly Given[]): Promise<void> {
  const present = new Map((await listWebhooks(database, accountId)).map((webhook) => [keyOf(webhook), webhook]))
  const kept: { webhook: Webhook; given: Given }[] = []
  const added: Given[] = []
  for (const one of given) {
    const webhook = present.get(keyOf(one))
    if (webhook) kept.push({ webhook, given: one })
    else added.push(one)
    present.delete(keyOf(one))
  }
  const ids = kept.map(({ webhook }) => webhook.id)
  await deleteWebhooks(database, { accountId, ids: [...present.values()].map(({ id }) => id) })
  await updateWebhooks(
    database,
    accountId,
    kept.map(({ webhook, given }) => ({ id: webhook.id, ...toSettings(given) }))
  )
  // Events that waited for an inactive webhook are due now.
  await updateTurns(database, { accountId, ids })
  await insertWebhooks(
    database,
    accountId,
    added.map((given) => ({ type: given.type, ...toSettings(given) }))
  )
  await updateSubscriptions(database, accountId)
}

/** For the audit trail. Without the path, which may hold a secret of the receiver. */
function describe({ type, url, isActive }: Webhook): string {
  return `${type} ${new URL(url).origin}${isActive ? '' : ' (off)'}`
}

function toSettings({ url, active = true, batch_size: batchSize = 1 }: Given) {
  return { url, isActive: active, batchSize }
}

async function makeFirstSecret(database: Database, accountId: number): Promise<string | undefined> {
  const { count } = await countSecrets(database, accountId)
  if (count > 0) return undefined
  const secret = newSecret()
  await insertSecret(database, { accountId, secret, overlapSeconds: 0 })
  return secret
}
