import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'

export interface Reply {
  id: number
  messageId: number | null
  phone: string
  writtenTo: string
  channel: 'sms' | 'rcs'
  content: string
  isStop: boolean
  createdAt: Date
}

/** A message that came in, as customers see it. */
export const ReplyView = Type.Object(
  {
    id: Type.Integer(),
    message_id: Nullable(Type.Integer({ description: 'The message it answers, if there is one.' })),
    recipient: Type.String({ description: 'Who wrote, in E.164.' }),
    to: Type.String({ description: 'The number or agent written to.' }),
    channel: Type.Enum(['sms', 'rcs']),
    content: Type.String(),
    is_stop: Type.Boolean(),
    timestamp: Type.String({ format: 'date-time' })
  },
  { $id: 'Reponses' }
)

export const ReplyPage = Paginated(ReplyView, 'RepliesHistoryRo')

export function toReplyView(reply: Reply): Static<typeof ReplyView> {
  return {
    id: reply.id,
    message_id: reply.messageId,
    recipient: reply.phone,
    to: reply.writtenTo,
    channel: reply.channel,
    content: reply.content,
    is_stop: reply.isStop,
    timestamp: reply.createdAt.toISOString()
  }
}

export const replyExample: Static<typeof ReplyView> = {
  id: 31,
  message_id: 7,
  recipient: '+33639980005',
  to: '36111',
  channel: 'sms',
  content: 'OK',
  is_stop: false,
  timestamp: '2026-11-15T09:30:00.000Z'
}
