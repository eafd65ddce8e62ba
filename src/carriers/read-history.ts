import Type, { type Static } from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { operation } from '../http/operation.ts'
import { Nullable } from '../schemas/nullable.ts'
import { listCountries, listErrors, listPoints, SPANS } from './history.store.ts'
import type { CarrierCounted } from './history.ts'

/** The rows of each period: an hour of five minutes, a day of hours, a month of days. */
const PERIODS = {
  hour: { span: 'five', steps: 12 },
  day: { span: 'hour', steps: 24 },
  month: { span: 'day', steps: 31 }
} as const

/** More would be a list that nobody reads. */
const ROWS_MAX = 200

const figures = {
  accepted: Type.Integer({ description: 'Recipients that the carrier took.' }),
  rejected: Type.Integer({ description: 'Recipients that it refused for good.' }),
  retried: Type.Integer({ description: 'Answers by which it could not take a message now.' }),
  unanswered: Type.Integer({ description: 'Submits without an answer: in doubt.' }),
  per_second: Type.Number({ description: 'Accepted recipients a second.' }),
  answer_seconds: Nullable(Type.Number({ description: 'From the hand-over to the answer, on average.' })),
  delivered: Type.Integer({ description: 'Recipients of SMS whose final receipt says delivered.' }),
  undelivered: Type.Integer({ description: 'Recipients of SMS whose final receipt says anything else.' }),
  receipt_seconds: Nullable(Type.Number({ description: 'From the acceptance to the final receipt, on average.' })),
  delivery_rate: Nullable(Type.Number({ description: 'Of the final receipts; null without any.' }))
}

const PointView = Type.Object({ at: Type.String({ format: 'date-time' }), ...figures }, { $id: 'CarrierPoint' })

const HistoryView = Type.Object(
  {
    period: Type.Enum(['hour', 'day', 'month']),
    step_seconds: Type.Integer({ description: 'How long a point counts.' }),
    carriers: Type.Array(Type.Object({ carrier: Type.String(), ...figures, points: Type.Array(PointView) }), {
      description: 'Carriers with figures, each with its points in time, oldest first. Points without any are left out.'
    }),
    countries: Type.Array(Type.Object({ carrier: Type.String(), country: Type.String(), ...figures }), {
      description: 'By carrier and country, the busiest first, 200 at most.'
    }),
    errors: Type.Array(
      Type.Object({
        carrier: Type.String(),
        country: Type.String(),
        error: Type.String({ description: 'The status of a refusal, or the error code of a receipt.' }),
        recipients: Type.Integer()
      }),
      { description: 'The most frequent errors, 200 at most.' }
    )
  },
  { $id: 'CarrierHistory' }
)

const exampleFigures = {
  accepted: 7200,
  rejected: 12,
  retried: 0,
  unanswered: 0,
  per_second: 2,
  answer_seconds: 0.12,
  delivered: 7050,
  undelivered: 60,
  receipt_seconds: 4.2,
  delivery_rate: 0.9916
}

export const readCarrierHistory = operation({
  route: 'GET /carriers/history',
  id: 'readCarrierHistory',
  tag: 'Beyond',
  permission: 'read',
  summary: 'How carriers did over time (operator)',
  description:
    'Throughput, answer time, receipt delay and delivery rate over the last hour, day or month, by carrier, country and error. Each process adds its figures every ten seconds. An RCS that falls back without a report counts as undelivered.',
  query: Type.Object({
    period: Type.Enum(['hour', 'day', 'month'], { default: 'day' }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 32, description: 'Only this carrier.' }))
  }),
  answer: HistoryView,
  example: {
    answer: {
      period: 'hour',
      step_seconds: 300,
      carriers: [
        { carrier: 'main', ...exampleFigures, points: [{ at: '2026-11-15T09:30:00.000Z', ...exampleFigures }] }
      ],
      countries: [{ carrier: 'main', country: 'FR', ...exampleFigures }],
      errors: [{ carrier: 'main', country: 'FR', error: '021', recipients: 40 }]
    }
  },
  refusals: OPERATOR_ONLY,
  mayLag: true,
  async handle({ caller, query: { period, name: carrier }, database }) {
    refuseUnlessOperator(caller)
    const { span, steps } = PERIODS[period]
    const { seconds } = SPANS[span]
    const asked = { span, steps, carrier }
    const points = await listPoints(database, asked)
    const countries = await listCountries(database, { ...asked, limit: ROWS_MAX })
    const errors = await listErrors(database, { ...asked, limit: ROWS_MAX })
    return {
      period,
      step_seconds: seconds,
      carriers: [...Map.groupBy(points, ({ carrier }) => carrier)].map(([carrier, ofCarrier]) => ({
        carrier,
        ...toFigures(ofCarrier.reduce(add), seconds * steps),
        points: ofCarrier.map(({ beginsAt, ...counted }) => ({
          at: beginsAt.toISOString(),
          ...toFigures(counted, seconds)
        }))
      })),
      countries: countries.map(({ carrier, country, ...counted }) => ({
        carrier,
        country,
        ...toFigures(counted, seconds * steps)
      })),
      errors: errors.map(({ carrier, country, error, recipients }) => ({ carrier, country, error, recipients }))
    }
  }
})

function add<C extends CarrierCounted>(one: C, other: C): C {
  return {
    ...one,
    accepted: one.accepted + other.accepted,
    rejected: one.rejected + other.rejected,
    retried: one.retried + other.retried,
    unanswered: one.unanswered + other.unanswered,
    answerSeconds: one.answerSeconds + other.answerSeconds,
    delivered: one.delivered + other.delivered,
    undelivered: one.undelivered + other.undelivered,
    receiptSeconds: one.receiptSeconds + other.receiptSeconds
  }
}

function toFigures(counted: CarrierCounted, seconds: number): Omit<Static<typeof PointView>, 'at'> {
  const { accepted, rejected, retried, unanswered, delivered, undelivered } = counted
  const mean = (sum: number, count: number) => (count === 0 ? null : rounded(sum / count))
  const receipts = delivered + undelivered
  return {
    accepted,
    rejected,
    retried,
    unanswered,
    per_second: rounded(accepted / seconds),
    answer_seconds: mean(counted.answerSeconds, accepted + rejected),
    delivered,
    undelivered,
    receipt_seconds: mean(counted.receiptSeconds, receipts),
    delivery_rate: mean(delivered, receipts)
  }
}

function rounded(figure: number): number {
  return Math.round(figure * 10_000) / 10_000
}
