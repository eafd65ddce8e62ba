import type { Sql } from '../database/database.ts'
import type { CarrierCounted, Counted, CountedError, CountedKey } from './history.ts'

/** The length of a row, by span; and how long its rows are kept, which is more than what is shown. */
export const SPANS = {
  five: { seconds: 300, keptHours: 6 },
  hour: { seconds: 3_600, keptHours: 72 },
  day: { seconds: 86_400, keptHours: 24 * 400 }
} as const
export type Span = keyof typeof SPANS

/** The spans with their begins, as a table `spans`. Days are those of UTC. */
function spansNow(sql: Sql) {
  return sql`
    unnest(
      ${Object.keys(SPANS)}::text[],
      ${Object.values(SPANS).map(({ seconds }) => seconds)}::integer[]
    ) as spans (span, seconds)
    cross join lateral (
      select to_timestamp(floor(extract(epoch from now()) / seconds) * seconds) as begins_at
    ) as begun
  `
}

/** Adds what a process counted to the rows of now. In one order for all processes, so two of them do not deadlock. */
export async function addCounted(sql: Sql, { figures, errors }: Counted): Promise<void> {
  if (figures.length > 0) {
    const of = (name: keyof CarrierCounted) => figures.map((row) => row[name])
    await sql`
      insert into carrier_figures (
        span, begins_at, carrier, country, accepted, rejected, retried, unanswered, answer_seconds, delivered,
        undelivered, receipt_seconds
      )
      select span, begins_at, given.*
      from ${spansNow(sql)}
      cross join unnest(
        ${figures.map(({ carrier }) => carrier)}::text[],
        ${figures.map(({ country }) => country)}::text[],
        ${of('accepted')}::bigint[],
        ${of('rejected')}::bigint[],
        ${of('retried')}::bigint[],
        ${of('unanswered')}::bigint[],
        ${of('answerSeconds')}::double precision[],
        ${of('delivered')}::bigint[],
        ${of('undelivered')}::bigint[],
        ${of('receiptSeconds')}::double precision[]
      ) as given (
        carrier, country, accepted, rejected, retried, unanswered, answer_seconds, delivered, undelivered,
        receipt_seconds
      )
      order by span, begins_at, carrier, country
      on conflict (span, begins_at, carrier, country) do update
      set accepted = carrier_figures.accepted + excluded.accepted,
          rejected = carrier_figures.rejected + excluded.rejected,
          retried = carrier_figures.retried + excluded.retried,
          unanswered = carrier_figures.unanswered + excluded.unanswered,
          answer_seconds = carrier_figures.answer_seconds + excluded.answer_seconds,
          delivered = carrier_figures.delivered + excluded.delivered,
          undelivered = carrier_figures.undelivered + excluded.undelivered,
          receipt_seconds = carrier_figures.receipt_seconds + excluded.receipt_seconds
    `
  }
  if (errors.length > 0) {
    await sql`
      insert into carrier_errors (span, begins_at, carrier, country, error, recipients)
      select span, begins_at, given.*
      from ${spansNow(sql)}
      cross join unnest(
        ${errors.map(({ carrier }) => carrier)}::text[],
        ${errors.map(({ country }) => country)}::text[],
        ${errors.map(({ error }) => error)}::text[],
        ${errors.map(({ recipients }) => recipients)}::bigint[]
      ) as given (carrier, country, error, recipients)
      order by span, begins_at, carrier, country, error
      on conflict (span, begins_at, carrier, country, error) do update
      set recipients = carrier_errors.recipients + excluded.recipients
    `
  }
}

interface Period {
  span: Span
  /** How many rows back, the one of now included. */
  steps: number
  carrier: string | undefined
}

/** Whether a row is within the period. */
function isWithin(sql: Sql, { span, steps, carrier }: Period) {
  const { seconds } = SPANS[span]
  return sql`
    span = ${span}
      and begins_at > now() - make_interval(secs => ${seconds * steps})
      ${carrier === undefined ? sql`` : sql`and carrier = ${carrier}`}
  `
}

const sums = (sql: Sql) => sql`
  sum(accepted)::bigint as accepted, sum(rejected)::bigint as rejected, sum(retried)::bigint as retried,
  sum(unanswered)::bigint as unanswered, sum(answer_seconds) as answer_seconds, sum(delivered)::bigint as delivered,
  sum(undelivered)::bigint as undelivered, sum(receipt_seconds) as receipt_seconds
`

/** By carrier and time, oldest first. */
export async function listPoints(
  sql: Sql,
  period: Period
): Promise<(CarrierCounted & { carrier: string; beginsAt: Date })[]> {
  return sql`
    select carrier, begins_at, ${sums(sql)}
    from carrier_figures
    where ${isWithin(sql, period)}
    group by carrier, begins_at
    order by carrier, begins_at
  `
}

/** By carrier and country, the busiest first. */
export async function listCountries(
  sql: Sql,
  { limit, ...period }: Period & { limit: number }
): Promise<(CarrierCounted & CountedKey)[]> {
  return sql`
    select carrier, country, ${sums(sql)}
    from carrier_figures
    where ${isWithin(sql, period)}
    group by carrier, country
    order by sum(accepted + rejected) desc, carrier, country
    limit ${limit}
  `
}

/** The most frequent errors by carrier and country. */
export async function listErrors(sql: Sql, { limit, ...period }: Period & { limit: number }): Promise<CountedError[]> {
  return sql`
    select carrier, country, error, sum(recipients)::bigint as recipients
    from carrier_errors
    where ${isWithin(sql, period)}
    group by carrier, country, error
    order by recipients desc, carrier, country, error
    limit ${limit}
  `
}

export async function deleteOldHistory(sql: Sql): Promise<void> {
  for (const [span, { keptHours }] of Object.entries(SPANS)) {
    const isOld = sql`span = ${span} and begins_at < now() - make_interval(hours => ${keptHours})`
    await sql`delete from carrier_figures where ${isOld}`
    await sql`delete from carrier_errors where ${isOld}`
  }
}
