import Type, { type Static } from 'typebox'
import { databaseNow } from '../database/clock.ts'
import type { Database, Pool } from '../database/database.ts'
import type { Limits } from '../http/limit.ts'
import type { ReachedRate } from '../http/request-rates.ts'
import type { NewNotice } from '../notices/notice.ts'
import { insertNotices } from '../notices/notices.store.ts'
import { recordEvents } from '../webhooks/events.store.ts'
import {
  type Alert,
  alertName,
  deleteOldRequestAlerts,
  deleteOverAlerts,
  insertAlerts,
  LOOKS,
  type Look,
  listManyCounted,
  listUsedUp,
  lockLook,
  takeTurn
} from './alerts.store.ts'

/* Tells accounts that a limit is nearly or fully used, or that a balance is low: once each, until it is over. */

export const LimitAlertView = Type.Object(
  {
    limit: Type.String({ description: 'The name of the limit, as in `GET /limits`.' }),
    level: Type.Integer({ description: 'Percent of the limit: 80 or 100.' }),
    used: Type.Integer(),
    max: Type.Integer(),
    timestamp: Type.String({ format: 'date-time' })
  },
  { $id: 'LimitAlert' }
)

export const BalanceAlertView = Type.Object(
  {
    msgType: Type.Integer({ description: '1 for SMS, 2 for RCS.' }),
    credits: Type.Integer({ description: 'What is left.' }),
    threshold: Type.Integer({ description: 'What the account chose to be warned below.' }),
    timestamp: Type.String({ format: 'date-time' })
  },
  { $id: 'BalanceAlert' }
)

export interface AlertParts {
  pool: Pool
  defaults: Limits
  /** The limits of requests a second that were reached in this process since the last call. */
  reachedRates(): ReachedRate[]
  /** Tells people, in the transaction that keeps the alerts. */
  tell(database: Database, alerts: readonly Alert[]): Promise<void>
}

/** Without a mail server, events alone tell of alerts. */
export const tellNobody = async () => undefined

/** Tells of rates that were reached here, and of the rest if it is the turn of this process. */
export async function raiseAlerts(parts: AlertParts): Promise<void> {
  const { pool, reachedRates, tell } = parts
  const rates = reachedRates().map(({ accountId, level, max }) => {
    return { accountId, subject: 'requests_per_second', level, used: max, max }
  })
  await pool.begin(async (database) => {
    await raise(database, rates, tell)
    for (const look of Object.keys(LOOKS) as Look[]) {
      if (await takeTurn(database, look)) await raiseOfLook(database, look, parts)
    }
  })
}

/** Tells of what has come and forgets what is over. Also right if two processes do it at once. */
export async function raiseOfLook(
  database: Database,
  look: Look,
  { defaults, tell }: Pick<AlertParts, 'defaults' | 'tell'>
): Promise<void> {
  await lockLook(database, look)
  const due = look === 'uses' ? await listUsedUp(database) : await listManyCounted(database, defaults)
  await deleteOverAlerts(database, look, due)
  await deleteOldRequestAlerts(database)
  await raise(database, due, tell)
}

async function raise(database: Database, alerts: readonly Alert[], tell: AlertParts['tell']): Promise<void> {
  const isNew = await insertAlerts(database, alerts)
  const raised = alerts.filter((alert) => isNew.has(alertName(alert)))
  if (raised.length === 0) return
  const timestamp = databaseNow().toISOString()
  await recordEvents(
    database,
    raised.map((alert) => toEvent(alert, timestamp))
  )
  await insertNotices(database, raised.map(toNotice))
  await tell(database, raised)
}

function toEvent({ accountId, subject, level, used, max }: Alert, timestamp: string) {
  if (isBalance(subject)) {
    const record: Static<typeof BalanceAlertView> = {
      msgType: subject === 'balance_sms' ? 1 : 2,
      credits: used,
      threshold: max,
      timestamp
    }
    return { accountId, type: 'balances' as const, record }
  }
  const record: Static<typeof LimitAlertView> = { limit: subject, level, used, max, timestamp }
  return { accountId, type: 'limits' as const, record }
}

function toNotice({ accountId, subject, used, max }: Alert): NewNotice {
  const figures = { accountId, value: used, bound: max }
  if (!isBalance(subject)) return { ...figures, kind: 'limit', subject, name: subject }
  const channel = subject.slice('balance_'.length)
  return { ...figures, kind: 'balance', subject: channel, name: channel.toUpperCase() }
}

export function isBalance(subject: string): boolean {
  return subject.startsWith('balance_')
}
