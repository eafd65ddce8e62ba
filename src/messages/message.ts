import Type from 'typebox'
import { Nullable } from '../schemas/nullable.ts'

const MessageType = Type.Object({ id: Type.Integer(), label: Type.String() }, { $id: 'Messages_type' })

/** Where the recipients of a message are: every one is counted in exactly one place. */
const MessageSummary = Type.Object({
  waiting: Type.Integer(),
  sent: Type.Integer(),
  delivered: Type.Integer(),
  read: Type.Integer(),
  failed: Type.Integer(),
  stopped: Type.Integer(),
  cancelled: Type.Integer()
})

/** A message as customers see it. */
export const MessageView = Type.Object(
  {
    id: Type.Integer(),
    content: Type.String(),
    sender: Type.String(),
    state: Type.Enum(['scheduled', 'sending', 'sent', 'cancelled', 'failed']),
    message_type: MessageType,
    channel: Type.Enum(['sms', 'rcs']),
    category: Type.Enum(['transactional', 'marketing']),
    recipients_count: Type.Integer(),
    sms_count: Type.Integer({ description: 'SMS segments in all.' }),
    credits_required: Type.Integer(),
    credits_refunded: Type.Integer(),
    scheduledate: Type.String({ description: 'YYYY-MM-DD in the account’s time zone.' }),
    scheduletime: Type.String({ description: 'HH:MM:SS in the account’s time zone.' }),
    scheduletimestamp: Type.String({ format: 'date-time' }),
    shorturl_mode: Nullable(Type.Object({ id: Type.Integer(), label: Type.String() })),
    shorturl_url: Nullable(Type.String()),
    external_id: Nullable(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
    summary: MessageSummary,
    clicked: Type.Integer(),
    replied: Type.Integer()
  },
  { $id: 'Messages' }
)

const recipientFields = {
  id: Type.Integer(),
  recipient: Type.String({ description: 'The number, in E.164.' }),
  credits_required: Type.Integer(),
  country_code: Type.String(),
  deliver: Type.Integer({
    minimum: 0,
    maximum: 8,
    description:
      '0 waiting, 1 delivered, 2 sent, 3 failed, 4 expired, 5 rejected, 6 cancelled, 7 stopped (opted out), 8 read.'
  }),
  deliver_label: Type.String(),
  errorcode: Type.String({ description: 'Empty when there is none.' }),
  content: Type.String({ description: 'The text this person got.' }),
  sent_at: Nullable(Type.String({ format: 'date-time' })),
  delivered_at: Nullable(Type.String({ format: 'date-time' }))
}

/** One person of an SMS message. */
export const SmsRecipientView = Type.Object(recipientFields, { $id: 'Messages_sms' })

/** One person of an RCS message; `channel` is `sms` after a fallback. */
export const RcsRecipientView = Type.Object(
  {
    ...recipientFields,
    channel: Type.Enum(['rcs', 'sms']),
    read_at: Nullable(Type.String({ format: 'date-time' }))
  },
  { $id: 'Messages_rcs' }
)
