import { lockAccount } from '../accounts/accounts.store.ts'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { countCannedReplies, insertCannedReply } from './canned-replies.store.ts'
import { CannedReplyInput, CannedReplyView, cannedReplyExample, checkCannedReply } from './canned-reply.ts'

/** A person chooses from all of them while writing. */
const CANNED_REPLIES_MAX = 200

const { id: _id, ...exampleBody } = cannedReplyExample

export const createCannedReply = operation({
  route: 'POST /canned-replies',
  id: 'createCannedReply',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Create a canned reply',
  description:
    'Keeps a text to answer with. Its variables are fields of contacts; the console fills them in when somebody chooses the text. Several canned replies may have the same name.',
  body: CannedReplyInput,
  answer: CannedReplyView,
  example: { body: exampleBody, answer: cannedReplyExample },
  refusals: { state_conflict: 'The account has 200 canned replies, or the Idempotency-Key is in use.' },
  async handle({ caller: { accountId }, body: { name, content }, database, record }) {
    checkCannedReply({ name, content })
    return database.begin(async (database) => {
      // Under the lock, so that two made at once are counted one after the other.
      await lockAccount(database, accountId)
      if ((await countCannedReplies(database, accountId)) >= CANNED_REPLIES_MAX) throw tooMany()
      const reply = await insertCannedReply(database, { accountId, name, content })
      await record(database, { object: { kind: 'canned_reply', id: reply.id }, changes: { name: [null, name] } })
      return reply
    })
  }
})

function tooMany(): Refusal {
  const sentence = `The account has ${CANNED_REPLIES_MAX} canned replies; delete one first.`
  return new Refusal(409, 'state_conflict', sentence)
}
