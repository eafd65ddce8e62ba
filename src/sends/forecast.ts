import Type, { type Static } from 'typebox'
import type { Sql } from '../database/database.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { listSubmitting } from '../queue/batches.store.ts'
import { listWaitingUntil, type WaitingUntil } from '../recipients/recipients.store.ts'

/* What is left of a message: who waits, until when, and who is on their way. */

const EXPIRIES_MAX = 100

export const forecastFields = {
  waiting: Type.Integer({ description: 'Recipients that have not left and are not on their way.' }),
  under_way: Type.Integer({ description: 'Recipients that a carrier is being given now. A pause does not hold them.' }),
  expiries: Type.Array(Type.Object({ expires_at: Type.String({ format: 'date-time' }), recipients: Type.Integer() }), {
    maxItems: EXPIRIES_MAX,
    description:
      'How many of the waiting recipients expire at which moment if they have not left by then, the soonest first; up to 100 moments. Their credits come back.'
  })
}

export interface Forecast {
  waiting: number
  underWay: number
  expiries: WaitingUntil[]
}

export async function forecast(sql: Sql, key: MessageKey): Promise<Forecast> {
  const [expiries, submitting] = [await listWaitingUntil(sql, key), await listSubmitting(sql, key)]
  return {
    waiting: expiries.reduce((sum, { recipients }) => sum + recipients, 0),
    underWay: submitting.length,
    expiries
  }
}

const ForecastFields = Type.Object(forecastFields)

export function toForecastFields({ waiting, underWay, expiries }: Forecast): Static<typeof ForecastFields> {
  return {
    waiting,
    under_way: underWay,
    expiries: expiries
      .slice(0, EXPIRIES_MAX)
      .map(({ expiresAt, recipients }) => ({ expires_at: expiresAt.toISOString(), recipients }))
  }
}

export const forecastExample: Static<typeof ForecastFields> = {
  waiting: 1_200,
  under_way: 80,
  expiries: [{ expires_at: '2026-11-18T09:30:00.000Z', recipients: 1_200 }]
}
