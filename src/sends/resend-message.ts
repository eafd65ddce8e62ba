import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { notFound, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { refuseWithout } from '../http/permission.ts'
import type { Message } from '../messages/message.ts'
import { findMessage, type MessageKey, tryLockResend } from '../messages/messages.store.ts'
import type { MessageOptions } from '../messages/options.ts'
import { listUnresent, updateToResent } from '../recipients/resends.store.ts'
import type { Accepted } from './accepted.ts'
import type { Content } from './content.ts'
import type { RecipientSource } from './recipient-source.ts'
import { ofCaller, type SmsSend } from './send.ts'
import { SendAnswer, SendQuery, statusExample } from './send-answer.ts'
import { validUntil } from './send-options.ts'
import { SEND_REFUSALS, type Sending } from './send-sms.ts'
import { dryRun } from './store-many.ts'

const CHUNK = 2_000
const ONLY_SMS =
  'Only SMS messages can be sent again: whom RCS does not reach gets the fallback, and a new RCS needs a send of its own.'

export const resendMessage = (sending: Sending) =>
  operation({
    route: 'POST /messages/{id}/resend',
    id: 'resendMessage',
    tag: 'Beyond',
    permission: 'send',
    anyCallerRepeats: true,
    summary: 'Send again to those that failed',
    description:
      'Makes a new message for the recipients of an SMS message that failed, expired or were rejected, each with the text they were meant to get. It is charged like any other, and names this message as `resend_of`. A recipient is resent once: a second resend takes only recipients that failed since, and is a 409 when there are none. If the new message fails too, resend that one.',
    query: SendQuery,
    answer: SendAnswer,
    example: { answer: statusExample },
    isLongWork: true,
    refusals: {
      insufficient_credits: SEND_REFUSALS.insufficient_credits ?? '',
      sender_not_allowed: SEND_REFUSALS.sender_not_allowed ?? '',
      state_conflict:
        'Nobody failed, all failed recipients were resent before, a resend of it is running, it is no SMS message, or the Idempotency-Key is in use.'
    },
    async handle({ caller, params, query, database, author }) {
      const key = { accountId: caller.accountId, id: params.id }
      const message = await findMessage(database, key)
      if (!message) throw notFound('message')
      if (message.channel !== 'sms') throw refused(ONLY_SMS)
      if (message.options?.binary) refuseWithout('binary', caller)
      if (message.failedCount === 0) throw refused('No recipient of this message failed.')
      const send = { ...toSend(message, caller), author }
      const source = fromUnresent(key, message)
      if (!query.resumeBefore) return resend(database, key, { sending, send, source })
      await refuseIfAllResent(database, key)
      return dryRun(database, send, source, sending)
    }
  })

/**
 * One transaction stores the new message and its origin. Of two simultaneous resends, the second is refused and does
 * not wait.
 */
async function resend(
  database: Database,
  key: MessageKey,
  { sending, send, source }: { sending: Sending; send: SmsSend; source: RecipientSource }
): Promise<Accepted> {
  return database.begin(async (database) => {
    if (!(await tryLockResend(database, key))) throw refused('Another resend of this message is running.')
    await refuseIfAllResent(database, key)
    return sending.accept(database, send, source)
  })
}

async function refuseIfAllResent(database: Database, key: MessageKey): Promise<void> {
  const [unresent] = await listUnresent(database, key, { afterPosition: 0, limit: 1 })
  if (!unresent) throw refused('All failed recipients of this message have been resent already.')
}

function refused(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}

/** The same send as the message, due now. The text of each recipient is its one variable. */
function toSend(message: Message, caller: Caller): Omit<SmsSend, 'author'> {
  // The places of the text are filled in already. A `#name#` that is left is text.
  const content: Content = {
    text: message.content,
    pieces: [0],
    variables: ['text'],
    typography: false,
    isLiteral: true
  }
  const now = databaseNow()
  return {
    channel: 'sms',
    ...ofCaller(caller, message.category),
    // The first message counted for these people already.
    cap: undefined,
    content,
    variables: content.variables,
    pathOf: () => 'content',
    writtenAs: (name) => name,
    link: undefined,
    stopLinkUrl: undefined,
    sender: senderAgain(message),
    externalId: undefined,
    resendOf: message.id,
    now,
    departsAt: now,
    options: message.options ? again(message.options, now) : undefined
  }
}

/** Where each carrier wrote under its own sender, it does so again. */
function senderAgain({ sender, options }: Message): SmsSend['sender'] {
  if (sender === '' || options?.hasCarrierSenders) return undefined
  return { name: sender, path: 'sender', problemPrefix: 'of the message ' }
}

/** The validity begins anew, the deadline was that of the first message, and the plan finds the senders of carriers. */
function again(
  { validity, deadline: _deadline, hasCarrierSenders: _has, ...options }: MessageOptions,
  now: Date
): MessageOptions | undefined {
  if (validity === undefined) return Object.keys(options).length === 0 ? undefined : options
  return { ...options, validity, expiresAt: validUntil(now, validity).toISOString() }
}

function fromUnresent(key: MessageKey, message: Message): RecipientSource {
  return {
    path: 'recipients',
    async *read(database) {
      let afterPosition = 0
      while (true) {
        const failed = await listUnresent(database, key, { afterPosition, limit: CHUNK })
        yield failed.map(({ phone, content }) => ({ number: phone, values: [content ?? message.content] }))
        if (failed.length < CHUNK) return
        afterPosition = failed.at(-1)?.position ?? 0
      }
    },
    onStored: (database, messageId) => updateToResent(database, key, { resentAs: messageId })
  }
}
