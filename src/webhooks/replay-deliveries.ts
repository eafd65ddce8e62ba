import Type from 'typebox'
import { liftStatementTimeout } from '../database/database.ts'
import { invalidInput } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { updateFailedDeliveries } from './deliveries.store.ts'
import { EVENT_TYPES } from './event-type.ts'
import { listWebhooks, lockWebhooksOf, updateTurns } from './webhooks.store.ts'

export const replayDeliveries = ({ onQueued }: { onQueued: () => void }) =>
  operation({
    route: 'POST /webhooks/replay',
    id: 'replayDeliveries',
    tag: 'Beyond',
    permission: 'webhooks',
    summary: 'Redeliver failed deliveries',
    description:
      'Every delivery that was made since a moment and has failed is tried again, from its first attempt, if its webhook is still there and active.',
    body: Type.Object(
      {
        since: Type.String({ format: 'date-time', maxLength: 64, description: 'ISO 8601, with its time zone.' }),
        type: Type.Optional(Type.Enum(EVENT_TYPES))
      },
      { $id: 'WebhookReplayDto' }
    ),
    answer: Type.Object({ replayed: Type.Integer() }, { $id: 'WebhookReplayRo' }),
    example: { body: { since: '2026-11-15T00:00:00Z', type: 'replies' }, answer: { replayed: 12 } },
    isLongWork: true,
    async handle({ caller: { accountId }, body, database, afterCommit, record }) {
      const since = new Date(body.since)
      // The format allows a leap second, which a Date cannot hold.
      if (Number.isNaN(since.getTime())) {
        throw invalidInput([
          { path: 'since', message: 'must be a date and time in ISO 8601, such as 2026-12-24T10:00:00Z' }
        ])
      }
      const replayed = await database.begin(async (database) => {
        await liftStatementTimeout(database)
        await lockWebhooksOf(database, accountId)
        const count = await updateFailedDeliveries(database, { accountId, since, type: body.type })
        const ids = (await listWebhooks(database, accountId)).map(({ id }) => id)
        if (count > 0) await updateTurns(database, { accountId, ids })
        await record(database, { changes: { replayed: [0, count] } })
        return count
      })
      afterCommit(onQueued)
      return { replayed }
    }
  })
