import Type from 'typebox'
import { databaseNow } from '../database/clock.ts'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { Nullable } from '../schemas/nullable.ts'
import { newSecret } from './signature.ts'
import { secretExample } from './webhook.ts'
import { countSecrets, insertSecret, lockWebhooksOf } from './webhooks.store.ts'

const OVERLAP_SECONDS = 86_400
/** Each secret signs every delivery: twenty signatures are a header of 1 kB, and receivers accept a few kB at most. */
const SECRETS_MAX = 20

export const rotateSecret = operation({
  route: 'POST /webhooks/secret/rotate',
  id: 'rotateSecret',
  tag: 'Webhooks',
  permission: 'webhooks',
  summary: 'Rotate the signing secret',
  description: `Makes a new secret, shown only here. The one before it signs beside it for another 24 hours, so that receivers can change over in peace. At most ${SECRETS_MAX} secrets sign at a time.`,
  answer: Type.Object(
    {
      secret: Type.String({ description: '`whsec_` and the key in base64, as Standard Webhooks prescribes.' }),
      previous_valid_until: Nullable(
        Type.String({ format: 'date-time', description: 'Until when the one before still signs; null for the first.' })
      )
    },
    { $id: 'WebhookSecretRo' }
  ),
  example: { answer: { secret: secretExample, previous_valid_until: '2026-11-16T09:30:00.000Z' } },
  refusals: { rate_limited: `There are ${SECRETS_MAX} secrets that sign already.` },
  async handle({ caller: { accountId }, database, record }) {
    const secret = newSecret()
    const { previousValidUntil } = await database.begin(async (database) => {
      await lockWebhooksOf(database, accountId)
      const { count, firstEndsAt } = await countSecrets(database, accountId)
      if (count >= SECRETS_MAX) throw tooMany(firstEndsAt ?? databaseNow())
      await record(database, { changes: { secret: 'hidden' } })
      return insertSecret(database, { accountId, secret, overlapSeconds: OVERLAP_SECONDS })
    })
    return { secret, previous_valid_until: previousValidUntil?.toISOString() ?? null }
  }
})

function tooMany(firstEndsAt: Date): Refusal {
  const retryAfterSeconds = Math.max(1, Math.ceil((firstEndsAt.getTime() - databaseNow().getTime()) / 1000))
  return new Refusal(429, 'rate_limited', `At most ${SECRETS_MAX} secrets sign at a time; wait until the first ends.`, {
    retryAfterSeconds
  })
}
