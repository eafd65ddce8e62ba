import { MARKETING } from '../consents/consent.ts'
import { insertConsents } from '../consents/consents.store.ts'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { mayUseNumber } from '../numbers/number-grants.store.ts'
import { withoutPrefix } from '../phone-numbers/without-prefix.ts'
import { isYes, keywordOf } from '../stops/stop-word.ts'
import { insertConsentRequest, lockAskedRequest, updateRequest } from './consent-requests.store.ts'
import { findKeyword } from './keywords.store.ts'
import type { Reply } from './reply.ts'

/** A question may be answered for so long. */
const ANSWER_HOURS = 72
const KEYWORD_LENGTH_MAX = 20

/**
 * Consent by keyword, in the transaction that stores the reply. A person writes the word and is asked; their YES stores the
 * consent, with the question as its wording and both replies as its proof. The reply belongs to whom it belongs in any case.
 * True if the word was one for consent.
 */
export async function readConsent(
  database: Database,
  { phone, to, reply }: { phone: string; to: string; reply: Reply }
): Promise<boolean> {
  const word = keywordOf(reply.content)
  if (word === '' || word.length > KEYWORD_LENGTH_MAX) return false
  const number = withoutPrefix(to)
  if (isYes(reply.content)) {
    await confirm(database, { phone, number, reply })
    return true
  }
  const keyword = await findKeyword(database, { number, keyword: word })
  if (!keyword) return false
  const { accountId, id: keywordId } = keyword
  // The number may have been granted to others since the word was added.
  if (!(await mayUseNumber(database, { accountId, number }))) return false
  await insertConsentRequest(database, { accountId, keywordId, phone, number, replyId: reply.id })
  return true
}

async function confirm(
  database: Database,
  { phone, number, reply }: { phone: string; number: string; reply: Reply }
): Promise<void> {
  const request = await lockAskedRequest(database, { phone, number, hours: ANSWER_HOURS })
  if (!request) return
  const { accountId, id, question, keyword, replyId, questionId } = request
  if (!(await mayUseNumber(database, { accountId, number }))) return
  const proof = `reply ${replyId} (${keyword}) to ${number}, message ${questionId}, reply ${reply.id} (${reply.content.slice(0, 40)})`
  const consent = {
    phone,
    purpose: MARKETING,
    channel: 'all' as const,
    source: 'keyword' as const,
    givenAt: databaseNow(),
    wording: question,
    proof
  }
  await insertConsents(database, { accountId, consents: [consent] })
  await updateRequest(database, { accountId, id, step: 'thank' })
}
