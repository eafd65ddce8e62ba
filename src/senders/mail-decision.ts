import type { Sql } from '../database/database.ts'
import { listOwners } from '../limits/owners.store.ts'
import { nameInMail } from '../mail/kinds.ts'
import { queueMail } from '../mail/mails.store.ts'
import { newsExpiry } from '../mail/news-expiry.ts'
import type { Sender } from './sender.ts'

/** Tells the owners of an account what became of its sender, in the transaction of the decision. */
export async function mailDecision(sql: Sql, { accountId, name, state, reason }: Sender): Promise<void> {
  const expiresAt = newsExpiry()
  for (const { email: to, language, company } of await listOwners(sql, [accountId])) {
    const facts = { company: nameInMail(company), sender: name, state, reason: reason.replaceAll(/\s+/g, ' ') }
    await queueMail(sql, { to, language, accountId, expiresAt, kind: 'sender-decided', facts })
  }
}
