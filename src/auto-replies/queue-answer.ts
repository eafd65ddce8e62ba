import type { Database } from '../database/database.ts'
import { withoutPrefix } from '../phone-numbers/without-prefix.ts'
import { keywordOf } from '../stops/stop-word.ts'
import { insertAnswer } from './answers.store.ts'
import { findFitting } from './auto-replies.store.ts'
import { KEYWORD_LENGTH_MAX } from './auto-reply.ts'

/** Queues the answer to a reply if a rule of its account fits, in the transaction that stores the reply. */
export async function queueAnswer(
  database: Database,
  {
    accountId,
    phone,
    to,
    content,
    replyId
  }: { accountId: number; phone: string; to: string; content: string; replyId: number }
): Promise<void> {
  const keyword = keywordOf(content)
  if (keyword === '' || keyword.length > KEYWORD_LENGTH_MAX) return
  const writtenTo = withoutPrefix(to)
  const rule = await findFitting(database, { accountId, keyword, number: writtenTo })
  if (rule) await insertAnswer(database, { accountId, autoReplyId: rule.id, replyId, phone, writtenTo })
}
