import type { Sql } from '../database/database.ts'
import { nameInMail } from '../mail/kinds.ts'
import { queueMail } from '../mail/mails.store.ts'
import { newsExpiry } from '../mail/news-expiry.ts'
import type { Alert } from './alerts.store.ts'
import { listOwners } from './owners.store.ts'
import { isBalance } from './raise-alerts.ts'

/** Mails alerts to the owners of their accounts, in the transaction that keeps the alerts. */
export async function mailAlerts(sql: Sql, alerts: readonly Alert[]): Promise<void> {
  const owners = await listOwners(sql, [...new Set(alerts.map(({ accountId }) => accountId))])
  const expiresAt = newsExpiry()
  for (const { accountId, email: to, language, company: name } of owners) {
    const company = nameInMail(name)
    for (const { subject, level, used, max } of alerts.filter((alert) => alert.accountId === accountId)) {
      const common = { to, language, accountId, expiresAt }
      if (isBalance(subject)) {
        const credits = subject === 'balance_sms' ? 'SMS' : 'RCS'
        const facts = { company, credits, left: String(used), threshold: String(max) }
        await queueMail(sql, { ...common, kind: 'low-balance', facts })
      } else {
        const facts = { company, limit: subject, level: String(level), used: String(used), max: String(max) }
        await queueMail(sql, { ...common, kind: 'limit-reached', facts })
      }
    }
  }
}
