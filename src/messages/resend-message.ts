import { notFound, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import type { RecipientSource } from './accept-messages.ts'
import type { Content } from './content.ts'
import type { Message } from './message.ts'
import { findMessage, type MessageKey } from './messages.store.ts'
import { RECIPIENT_STATES } from './recipient.ts'
import { listRecipientsInStates } from './recipients.store.ts'
import { ofCaller, type SmsSend } from './send.ts'
import { SmsStatusView, statusExample } from './send-answer.ts'
import { SEND_REFUSALS, type Sending } from './send-sms.ts'

const FAILED = [RECIPIENT_STATES.failed, RECIPIENT_STATES.expired, RECIPIENT_STATES.rejected]
const CHUNK = 2_000
const ONLY_SMS =
  'Only SMS messages can be sent again: whom RCS does not reach gets the fallback, and a new RCS needs a send of its own.'

export const resendMessage = (sending: Sending) =>
  operation({
    route: 'POST /messages/{id}/resend',
    id: 'resendMessage',
    tag: 'Beyond',
    summary: 'Send again to those that failed',
    description:
      'Makes a new message for the recipients of an SMS message that failed, expired or were rejected, each with the text they were meant to get. It is charged like any other.',
    answer: SmsStatusView,
    example: { answer: statusExample },
    isLongWork: true,
    refusals: {
      insufficient_credits: SEND_REFUSALS.insufficient_credits ?? '',
      state_conflict: 'Nobody failed, it is no SMS message, or the Idempotency-Key is in use.'
    },
    async handle({ caller, params, database }) {
      const key = { accountId: caller.accountId, id: params.id }
      const message = await findMessage(database, key)
      if (!message) throw notFound('message')
      if (message.channel !== 'sms') throw new Refusal(409, 'state_conflict', ONLY_SMS)
      if (message.failedCount === 0) throw new Refusal(409, 'state_conflict', 'Nobody of this message failed.')
      return sending.accept(database, toSend(message, caller), fromFailed(key, message))
    }
  })

/** As the message was, but now. What was made for each recipient is their one variable. */
function toSend(message: Message, caller: Caller): SmsSend {
  const content: Content = { text: message.content, pieces: [0], variables: ['text'], hasPlainTypography: false }
  const now = new Date()
  return {
    channel: 'sms',
    ...ofCaller(caller),
    category: message.category,
    content,
    variables: content.variables,
    pathOf: () => 'content',
    link: undefined,
    sender: message.sender,
    externalId: undefined,
    now,
    departsAt: now
  }
}

function fromFailed(key: MessageKey, message: Message): RecipientSource {
  return {
    path: 'recipients',
    async *read(database) {
      let afterPosition = 0
      while (true) {
        const failed = await listRecipientsInStates(
          database,
          { ...key, states: FAILED },
          { afterPosition, limit: CHUNK }
        )
        yield failed.map(({ phone, content }) => ({ number: phone, values: [content ?? message.content] }))
        if (failed.length < CHUNK) return
        afterPosition = failed.at(-1)?.position ?? 0
      }
    }
  }
}
