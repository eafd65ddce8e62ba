import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'
import type { ShortUrlMode } from '../short-links/short-url.ts'
import { type Channel, isPaused, MESSAGE_STATES, type Message } from './message.ts'
import type { MessageOptions } from './options.ts'
import { toLocalDateAndTime } from './schedule.ts'

const MessageType = Type.Object({ id: Type.Integer(), label: Type.String() }, { $id: 'Messages_type' })

/** Recipients by state: each recipient is counted in exactly one field. */
const MessageSummary = Type.Object(
  {
    waiting: Type.Integer(),
    sent: Type.Integer(),
    delivered: Type.Integer(),
    read: Type.Integer(),
    failed: Type.Integer(),
    stopped: Type.Integer(),
    cancelled: Type.Integer()
  },
  { $id: 'MessagesSummary' }
)

/** Shown only where the send gave them, or while they apply. */
const optionViews = {
  name: Type.Optional(Type.String({ description: 'What people call it. Absent without a name.' })),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'Absent without any.' })),
  replaces: Type.Optional(
    Type.Integer({ description: 'The scheduled message whose place it took. Absent unless it took one.' })
  ),
  replaced_by: Type.Optional(Type.Integer({ description: 'The message that took its place. Absent unless one did.' })),
  paused_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Since when it is paused. Its `state` stays as it was. Absent unless it is paused.'
    })
  ),
  validity: Type.Optional(Type.Integer({ description: 'Seconds from its due time. Absent when none was given.' })),
  expires_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'When its validity ends. Absent without a `validity`.' })
  ),
  priority: Type.Optional(Type.Enum(['low', 'high'], { description: 'Absent for `normal`.' })),
  spread: Type.Optional(
    Type.Object(
      { per_hour: Type.Integer() },
      { description: 'How many recipients leave an hour. Absent unless it is spread.' }
    )
  ),
  deadline: Type.Optional(
    Type.String({ format: 'date-time', description: 'By when it should have left. Absent without a deadline.' })
  ),
  late_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Since when it is known that it will not have left, or has not left, by its deadline. Absent unless it is late.'
    })
  ),
  flash: Type.Optional(Type.Boolean({ description: 'True for a flash message, otherwise absent.' })),
  binary: Type.Optional(
    Type.Object(
      {
        data: Type.String({ description: 'In hexadecimal.' }),
        udh: Type.String({ description: 'The user data header in hexadecimal; empty without one.' })
      },
      { description: 'Of a binary message, whose `content` is empty; otherwise absent.' }
    )
  )
}

/** A message as customers see it. */
export const MessageView = Type.Object(
  {
    id: Type.Integer(),
    content: Type.String(),
    sender: Type.String(),
    state: Type.Enum(MESSAGE_STATES),
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
    resend_of: Nullable(
      Type.Integer({ description: 'The message whose failed recipients this one was sent to again.' })
    ),
    created_at: Type.String({ format: 'date-time' }),
    cancelled_at: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'When it was cancelled. An RCS message that had left stays `sent`, and what is not delivered is revoked.'
      })
    ),
    summary: MessageSummary,
    sent_count: Type.Optional(
      Type.Integer({ description: 'Recipients that a carrier accepted, with any result. Missing in old events.' })
    ),
    clicked: Type.Integer(),
    replied: Type.Integer(),
    ...optionViews
  },
  { $id: 'Messages' }
)

export const MessagePage = Paginated(MessageView, 'MessagesHistoryRo')

export function toMessageView(message: Message, timeZone: string): Static<typeof MessageView> {
  const { date, time } = toLocalDateAndTime(message.scheduledAt, timeZone)
  return {
    id: message.id,
    content: message.content,
    sender: message.sender,
    state: message.state,
    message_type: TYPES[message.channel],
    channel: message.channel,
    category: message.category,
    recipients_count: message.recipientsCount,
    sms_count: message.segmentsCount,
    credits_required: message.creditsRequired,
    credits_refunded: message.creditsRefunded,
    scheduledate: date,
    scheduletime: time,
    scheduletimestamp: message.scheduledAt.toISOString(),
    shorturl_mode: message.shorturlMode && LINK_MODES[message.shorturlMode],
    shorturl_url: message.shorturlUrl,
    external_id: message.externalId,
    resend_of: message.resendOf,
    created_at: message.createdAt.toISOString(),
    cancelled_at: message.cancelledAt?.toISOString() ?? null,
    summary: {
      waiting: message.waitingCount,
      sent: message.sentCount,
      delivered: message.deliveredCount,
      read: message.readCount,
      failed: message.failedCount,
      stopped: message.stoppedCount,
      cancelled: message.cancelledCount
    },
    sent_count: message.takenCount,
    clicked: message.clickedCount,
    replied: message.repliedCount,
    ...(message.name !== null && { name: message.name }),
    ...(message.tags !== null && { tags: [...message.tags] }),
    ...(message.replaces !== null && { replaces: message.replaces }),
    ...(message.replacedBy !== null && { replaced_by: message.replacedBy }),
    ...(isPaused(message) && { paused_at: message.pausedAt.toISOString() }),
    ...(message.lateAt && { late_at: message.lateAt.toISOString() }),
    ...(message.options && toOptionViews(message.options))
  }
}

const TYPES: Record<Channel, { id: number; label: string }> = {
  sms: { id: 1, label: 'SMS' },
  rcs: { id: 2, label: 'RCS' }
}

const LINK_MODES: Record<ShortUrlMode, { id: number; label: string }> = {
  unique: { id: 1, label: 'unique' },
  common: { id: 2, label: 'common' }
}

function toOptionViews({ validity, expiresAt, priority, spread, deadline, flash, binary }: MessageOptions) {
  return {
    ...(validity !== undefined && { validity }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(priority && { priority }),
    ...(spread && { spread: { per_hour: spread.perHour } }),
    ...(deadline !== undefined && { deadline }),
    ...(flash && { flash }),
    ...(binary && { binary: { data: binary.data, udh: binary.udh } })
  }
}

export const messageExample: Static<typeof MessageView> = {
  id: 7,
  content: 'Bonjour',
  sender: 'CHAPPE',
  state: 'sent',
  message_type: { id: 1, label: 'SMS' },
  channel: 'sms',
  category: 'transactional',
  recipients_count: 1,
  sms_count: 1,
  credits_required: 1,
  credits_refunded: 0,
  scheduledate: '2026-11-15',
  scheduletime: '10:30:00',
  scheduletimestamp: '2026-11-15T09:30:00.000Z',
  shorturl_mode: null,
  shorturl_url: null,
  external_id: null,
  resend_of: null,
  created_at: '2026-11-15T09:30:00.000Z',
  cancelled_at: null,
  summary: { waiting: 0, sent: 1, delivered: 0, read: 0, failed: 0, stopped: 0, cancelled: 0 },
  sent_count: 1,
  clicked: 0,
  replied: 0
}
