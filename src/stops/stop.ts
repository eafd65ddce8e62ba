import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'

export type StopSource = 'manual' | 'file' | 'reply'

/**
 * How a STOP came: the first four are the person's own doing, by a word, a link, a button, or the menu of an RCS platform. The
 * account added the others.
 */
export const STOP_WAYS = ['reply', 'link', 'button', 'platform', 'manual', 'file'] as const
export type StopWay = (typeof STOP_WAYS)[number]

/** Programs in the field know three sources: all that people do themselves is a reply. */
export function sourceOf(way: StopWay): StopSource {
  return way === 'manual' || way === 'file' ? way : 'reply'
}

export interface Stop {
  id: number
  phone: string
  source: StopSource
  way: StopWay
  /** The message that it answers, and the sender of that message. */
  messageId: number | null
  sender: string | null
  createdAt: Date
}

/** An opt-out, as customers see it. */
export const StopView = Type.Object(
  {
    id: Type.Integer(),
    recipient: Type.String({ description: 'The number, in E.164.' }),
    timestamp: Type.String({ format: 'date-time' }),
    source: Type.Enum(['manual', 'file', 'reply'], { description: '`reply` for everything that the person did.' }),
    way: Type.Enum(STOP_WAYS, {
      description:
        'How it came: by a word (`reply`), the link of a message, a button of an RCS, the menu of the RCS platform, by hand or by file.'
    }),
    message_id: Nullable(Type.Integer({ description: 'The message that it answers, if there is one.' })),
    sender: Nullable(Type.String({ description: 'The sender of that message.' }))
  },
  { $id: 'Stops' }
)

export const StopPage = Paginated(StopView, 'StopsListRo')

export function toStopView(stop: Stop): Static<typeof StopView> {
  return {
    id: stop.id,
    recipient: stop.phone,
    timestamp: stop.createdAt.toISOString(),
    source: stop.source,
    way: stop.way,
    message_id: stop.messageId,
    sender: stop.sender
  }
}

export const stopExample: Static<typeof StopView> = {
  id: 4,
  recipient: '+33639980006',
  timestamp: '2026-11-15T09:30:00.000Z',
  source: 'reply',
  way: 'link',
  message_id: 7,
  sender: 'CHAPPE'
}
