import { lockAccount } from '../accounts/accounts.store.ts'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import type { LaterSending } from '../sends/depart.ts'
import { countAutoReplies, insertAutoReply } from './auto-replies.store.ts'
import { AutoReplyInput, AutoReplyView, autoReplyExample, inputExample, toAutoReplyView } from './auto-reply.ts'
import { readInput } from './read-input.ts'

/** Each is looked at for every reply. */
const AUTO_REPLIES_MAX = 100

export const createAutoReply = (sending: LaterSending) =>
  operation({
    route: 'POST /auto-replies',
    id: 'createAutoReply',
    tag: 'Beyond',
    permission: 'send',
    summary: 'Create an auto-reply',
    description:
      'Answers replies by their first word: a person writes HOURS and gets the hours, as an SMS that is charged like any other. STOP, START and keywords for consent come before it. Of several rules that fit, the one for the number counts, then the oldest. A number gets at most one answer of a rule in `pause_seconds`, and 10 in a day.',
    body: AutoReplyInput,
    answer: AutoReplyView,
    example: { body: inputExample, answer: autoReplyExample },
    refusals: {
      state_conflict: `The account has ${AUTO_REPLIES_MAX} auto-replies, or the Idempotency-Key is in use.`
    },
    handle: ({ caller, body, database, record }) =>
      database.begin(async (database) => {
        const fields = await readInput(database, body, { caller, sending })
        // Under the lock, so that two made at once are counted one after the other.
        await lockAccount(database, caller.accountId)
        if ((await countAutoReplies(database, caller.accountId)) >= AUTO_REPLIES_MAX) throw tooMany()
        const rule = await insertAutoReply(database, caller.accountId, fields)
        await record(database, { object: { kind: 'auto_reply', id: rule.id }, changes: { name: [null, rule.name] } })
        return toAutoReplyView(rule)
      })
  })

function tooMany(): Refusal {
  return new Refusal(409, 'state_conflict', `The account has ${AUTO_REPLIES_MAX} auto-replies; delete one first.`)
}
