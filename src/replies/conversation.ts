import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'
import { type Reply, ReplyView, replyExample, toReplyView } from './reply.ts'

/** The replies of one phone to an account, summed up. */
export interface ConversationSummary {
  lastReply: Reply
  repliesCount: number
  /** Replies that nobody of the account has read. */
  unreadCount: number
  isClosed: boolean
  /** The person of the account who takes care of it. */
  assignedTo: number | null
  /** The last message of the account that left to this phone. Null when it was removed, or there was none. */
  lastMessageId: number | null
  lastMessageAt: Date | null
}

export const ConversationView = Type.Object(
  {
    recipient: Type.String({ description: 'The phone, in E.164.' }),
    replies_count: Type.Integer({ description: 'How many replies came from it.' }),
    unread_count: Type.Integer({ description: 'How many of them nobody has marked as read.' }),
    closed: Type.Boolean({ description: 'Whether it was closed, and no reply has come since.' }),
    assigned_to: Nullable(
      Type.Integer({ description: 'The person who takes care of it, by the id that GET /people has.' })
    ),
    last_reply: ReplyView,
    last_message_id: Nullable(
      Type.Integer({ description: 'The last message of the account that left to this phone, if it is kept.' })
    ),
    last_message_at: Nullable(Type.String({ format: 'date-time', description: 'When that message left.' })),
    is_stopped: Type.Boolean({ description: 'Whether the phone is opted out of the account now.' })
  },
  { $id: 'Conversation' }
)

export const ConversationPage = Paginated(ConversationView, 'ConversationsRo')

export function toConversationView(
  { lastReply, repliesCount, unreadCount, isClosed, assignedTo, lastMessageId, lastMessageAt }: ConversationSummary,
  stopped: ReadonlySet<string>
): Static<typeof ConversationView> {
  return {
    recipient: lastReply.phone,
    replies_count: repliesCount,
    unread_count: unreadCount,
    closed: isClosed,
    assigned_to: assignedTo,
    last_reply: toReplyView(lastReply),
    last_message_id: lastMessageId,
    last_message_at: lastMessageAt?.toISOString() ?? null,
    is_stopped: stopped.has(lastReply.phone)
  }
}

export const conversationExample: Static<typeof ConversationView> = {
  recipient: replyExample.recipient,
  replies_count: 2,
  unread_count: 1,
  closed: false,
  assigned_to: 4,
  last_reply: replyExample,
  last_message_id: 7,
  last_message_at: '2026-11-15T09:29:58.000Z',
  is_stopped: false
}
