import { randomUUID } from 'node:crypto'
import type { EventAttributes, RbmEvents } from './events.ts'

/* The events of the platform: UserEvent, ServerEvent and UserMessage of the published REST reference (v1). */

export type UserEventType = 'DELIVERED' | 'READ' | 'IS_TYPING' | 'UNSUBSCRIBE' | 'SUBSCRIBE'
export type ServerEventType = 'TTL_EXPIRATION_REVOKED' | 'TTL_EXPIRATION_REVOKE_FAILED'

/** The content that a phone's user sent. */
export type UserContent =
  | { text: string }
  | { suggestionResponse: { postbackData: string; text: string; type?: 'REPLY' | 'ACTION' } }
  | { location: { latitude: number; longitude: number } }
  | { userFile: { payload: FileInfo; thumbnail?: FileInfo } }

export interface FileInfo {
  mimeType: string
  fileSizeBytes: number
  fileName: string
  fileUri: string
}

/** Sends events in the platform's format. Each promise settles when its event is acknowledged, or dropped. */
export class RbmNews {
  readonly #events: RbmEvents
  readonly #agentId: string

  constructor({ events, agentId }: { events: RbmEvents; agentId: string }) {
    this.#events = events
    this.#agentId = agentId
  }

  /** An event of the phone, with or without a message. */
  tellEvent(phone: string, eventType: UserEventType, messageId?: string, eventId?: string): Promise<void> {
    return this.#send(
      {
        senderPhoneNumber: phone,
        eventType,
        eventId: eventId ?? randomUUID(),
        ...(messageId !== undefined && { messageId }),
        sendTime: new Date().toISOString(),
        agentId: this.#agentId
      },
      { type: 'event', event_type: eventType }
    )
  }

  tellExpiry(phone: string, eventType: ServerEventType, messageId: string, eventId?: string): Promise<void> {
    return this.#send(
      {
        phoneNumber: phone,
        messageId,
        agentId: this.#agentId,
        eventType,
        eventId: eventId ?? randomUUID(),
        sendTime: new Date().toISOString()
      },
      { type: 'event', event_type: eventType }
    )
  }

  tellMessage(phone: string, content: UserContent, messageId?: string): Promise<void> {
    return this.#send(
      {
        senderPhoneNumber: phone,
        messageId: messageId ?? randomUUID(),
        sendTime: new Date().toISOString(),
        ...content,
        agentId: this.#agentId
      },
      { type: 'message', message_type: messageTypeOf(content) }
    )
  }

  #send(data: object, attributes: EventAttributes): Promise<void> {
    return new Promise((resolve) => this.#events.send({ data, attributes, onSettled: resolve }))
  }
}

function messageTypeOf(content: UserContent): string {
  if ('text' in content) return 'TEXT'
  if ('suggestionResponse' in content) return 'SUGGESTION_RESPONSE'
  return 'location' in content ? 'LOCATION' : 'FILE'
}
