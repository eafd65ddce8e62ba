import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { operation } from '../http/operation.ts'
import { LANES } from '../messages/message.ts'
import { listQueueByAge } from '../queue/queue-ages.store.ts'
import { describeWay } from './routes.ts'
import type { RoutingTable } from './routing-table.ts'

const QueueView = Type.Object(
  {
    route: Type.String({ description: 'What the waiting messages match, in words.' }),
    carriers: Type.Array(Type.String(), { description: 'The carriers that may send them, the preferred one first.' }),
    category: Type.Enum(['transactional', 'marketing']),
    batches: Type.Integer(),
    recipients: Type.Integer({ description: 'Recipients that are due and have not left.' }),
    oldest_seconds: Type.Number({ description: 'How long the oldest of them has been due.' }),
    up_to_minute: Type.Integer({ description: 'Recipients that have been due for a minute at most.' }),
    up_to_five_minutes: Type.Integer({ description: 'For one to five minutes.' }),
    up_to_hour: Type.Integer({ description: 'For five minutes to an hour.' }),
    older: Type.Integer({ description: 'For longer.' })
  },
  { $id: 'QueueRow' }
)

export const readQueue = (routing: RoutingTable) =>
  operation({
    route: 'GET /carriers/queue',
    id: 'readQueue',
    tag: 'Beyond',
    permission: 'read',
    summary: 'The queue by age (operator)',
    description:
      'Recipients that are due and wait for a carrier, by route, category and age, the oldest first; those of suspended accounts too. Scheduled and paused messages are not due.',
    answer: Type.Array(QueueView),
    example: {
      answer: [
        {
          route: '+33',
          carriers: ['main', 'backup'],
          category: 'marketing',
          batches: 12,
          recipients: 11500,
          oldest_seconds: 320.5,
          up_to_minute: 4000,
          up_to_five_minutes: 7000,
          up_to_hour: 500,
          older: 0
        }
      ]
    },
    refusals: OPERATOR_ONLY,
    async handle({ caller, database }) {
      refuseUnlessOperator(caller)
      const rows = await listQueueByAge(database)
      return rows.map(
        ({ route, lane, batches, recipients, seconds, upToMinute, upToFiveMinutes, upToHour, older }) => ({
          route: describeWay(route),
          carriers: [...routing.carriersOf(route)],
          category: lane === LANES.marketing ? ('marketing' as const) : ('transactional' as const),
          batches,
          recipients,
          oldest_seconds: seconds,
          up_to_minute: upToMinute,
          up_to_five_minutes: upToFiveMinutes,
          up_to_hour: upToHour,
          older
        })
      )
    }
  })
