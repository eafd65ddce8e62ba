import { MESSAGE_TYPE_NAMES } from '../credits/credit.ts'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { listOwners } from '../limits/owners.store.ts'
import { nameInMail } from '../mail/kinds.ts'
import { queueMail } from '../mail/mails.store.ts'
import { newsExpiry } from '../mail/news-expiry.ts'
import type { NoticeKind } from '../notices/notice.ts'
import { insertNotices } from '../notices/notices.store.ts'
import type { MailedLinks } from '../people/mailed-links.ts'
import { recordEvents } from '../webhooks/events.store.ts'
import type { CreditRequest } from './credit-request.ts'

/** Whether there is a mail server: then owners are told. */
export type MailSwitch = Pick<MailedLinks, 'isOn'>

/** A request that was withdrawn needs nobody any more. */
const NOTICE_KINDS: Partial<Record<CreditRequest['state'], NoticeKind>> = {
  waiting: 'credits_asked',
  given: 'credits_given',
  declined: 'credits_declined'
}

/**
 * Records the event and the notice of the account that has to know: the one that asks learns of an answer, the other one of
 * the rest.
 */
export async function recordRequestEvent(sql: Sql, request: CreditRequest): Promise<void> {
  const isAnswer = request.state === 'given' || request.state === 'declined'
  const record = {
    request_id: request.id,
    account_id: request.accountId,
    msgType: request.messageType,
    credits: request.amount,
    state: request.state,
    note: request.note,
    answer: request.answer,
    timestamp: (request.answeredAt ?? databaseNow()).toISOString()
  }
  const accountId = isAnswer ? request.accountId : request.askedId
  await recordEvents(sql, [{ accountId, type: 'credit_requests', record }])
  const kind = NOTICE_KINDS[request.state]
  if (!kind) return
  const name = MESSAGE_TYPE_NAMES[request.messageType]
  await insertNotices(sql, [{ accountId, kind, subject: String(request.id), name, value: request.amount, bound: null }])
}

/** Mails a new request to the owners of the account that answers. */
export async function mailRequest(sql: Sql, request: CreditRequest): Promise<void> {
  const { accountId, askedId, messageType, amount, note } = request
  const people = await listOwners(sql, [accountId, askedId])
  const asker = people.find((owner) => owner.accountId === accountId)?.company ?? ''
  for (const { email: to, language, company } of people.filter((owner) => owner.accountId === askedId)) {
    const facts = {
      company: nameInMail(company),
      asker: nameInMail(asker),
      amount: String(amount),
      credits: MESSAGE_TYPE_NAMES[messageType],
      note: oneLine(note)
    }
    await queueMail(sql, { to, language, accountId: askedId, expiresAt: newsExpiry(), kind: 'credits-asked', facts })
  }
}

/** Mails the answer to the owners of the account that asked. */
export async function mailAnswer(sql: Sql, request: CreditRequest): Promise<void> {
  const { accountId, messageType, amount, state, answer } = request
  for (const { email: to, language, company } of await listOwners(sql, [accountId])) {
    const facts = {
      company: nameInMail(company),
      amount: String(amount),
      credits: MESSAGE_TYPE_NAMES[messageType],
      state,
      note: oneLine(answer)
    }
    await queueMail(sql, { to, language, accountId, expiresAt: newsExpiry(), kind: 'credits-answered', facts })
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
