import type { Sql } from '../database/database.ts'
import { listOwners } from '../limits/owners.store.ts'
import { nameInMail } from '../mail/kinds.ts'
import { queueMail } from '../mail/mails.store.ts'
import { newsExpiry } from '../mail/news-expiry.ts'
import type { Alarm } from './alarm.ts'

/** Mails alarms to the owners of their accounts. */
export async function mailAlarms(sql: Sql, alarms: readonly Alarm[]): Promise<void> {
  const owners = await listOwners(sql, [...new Set(alarms.map(({ accountId }) => accountId))])
  const expiresAt = newsExpiry()
  for (const { accountId, email: to, language, company } of owners) {
    for (const { kind, name, value, bound, overAt } of alarms.filter((alarm) => alarm.accountId === accountId)) {
      const figure = (number: number | null) => (number === null ? '' : String(number))
      const facts = {
        company: nameInMail(company),
        state: overAt ? 'over' : 'raised',
        kind,
        name: nameInMail(name),
        value: figure(value),
        bound: figure(bound)
      }
      await queueMail(sql, { to, language, accountId, expiresAt, kind: 'alarm', facts })
    }
  }
}
