import Type, { type Static } from 'typebox'
import { Nullable } from '../schemas/nullable.ts'
import { EVENT_TYPES, type EventType } from './event-type.ts'

/** A webhook: its type, its URL, and how its deliveries went. */
export interface Webhook {
  id: number
  type: EventType
  url: string
  method: 'POST'
  isActive: boolean
  batchSize: number
  createdAt: Date
  lastStatus: number | null
  failingSince: Date | null
  disabledReason: string | null
}

export const WEBHOOKS_MAX = 20

const WebhookGiven = Type.Object(
  {
    type: Type.Enum(EVENT_TYPES),
    url: Type.String({
      description:
        'http or https, of at most 2048 characters; not on a private address, and without a user or a password.'
    }),
    method: Type.Optional(Type.Enum(['POST'])),
    active: Type.Optional(
      Type.Boolean({ description: 'True unless given. True makes a disabled webhook active again.' })
    ),
    batch_size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: 'How many events one delivery may hold; 1 unless given.' })
    )
  },
  { $id: 'webhookTypeDto' }
)

/** The whole configuration, as it is given. */
export const WebhooksGiven = Type.Object(
  { webhooks: Type.Array(WebhookGiven, { maxItems: WEBHOOKS_MAX }) },
  { $id: 'webhookDtoUpdate' }
)

const WebhookView = Type.Object(
  {
    id: Type.Integer(),
    type: Type.Enum(EVENT_TYPES),
    url: Type.String(),
    method: Type.Enum(['POST']),
    active: Type.Boolean(),
    batch_size: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    last_status: Nullable(
      Type.Integer({ description: 'The HTTP status of the last attempt; null when there was none, or no answer.' })
    ),
    failing_since: Nullable(
      Type.String({ format: 'date-time', description: 'Since when nothing arrives; null while deliveries arrive.' })
    ),
    disabled_reason: Nullable(Type.String({ description: 'Why the webhook was disabled, if it was.' }))
  },
  { $id: 'WebhookRo' }
)

export const WebhookConfigView = Type.Object(
  {
    webhooks: Type.Array(WebhookView),
    available_types: Type.Array(Type.String()),
    secret: Type.Optional(
      Type.String({ description: 'The secret that signs deliveries. Only in the answer that made it.' })
    )
  },
  { $id: 'WebhookConfigRo' }
)

export function toConfigView(webhooks: readonly Webhook[]): Static<typeof WebhookConfigView> {
  return { webhooks: webhooks.map(toWebhookView), available_types: [...EVENT_TYPES] }
}

function toWebhookView(webhook: Webhook): Static<typeof WebhookView> {
  return {
    id: webhook.id,
    type: webhook.type,
    url: webhook.url,
    method: webhook.method,
    active: webhook.isActive,
    batch_size: webhook.batchSize,
    created_at: webhook.createdAt.toISOString(),
    last_status: webhook.lastStatus,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    disabled_reason: webhook.disabledReason
  }
}

/** Two webhooks with the same key are the same webhook, however their URL is written. */
export function keyOf({ type, url }: { type: string; url: string }): string {
  return `${type} ${URL.parse(url)?.href ?? url}`
}

export const webhookExample: Static<typeof WebhookView> = {
  id: 3,
  type: 'replies',
  url: 'https://shop.example/hooks/replies',
  method: 'POST',
  active: true,
  batch_size: 1,
  created_at: '2026-11-15T09:30:00.000Z',
  last_status: 200,
  failing_since: null,
  disabled_reason: null
}

export const secretExample = 'whsec_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBzZWNyZXQ='

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'retrying', 'failed'] as const

/** A delivery: the events of one post, and its outcome. */
export interface WebhookDelivery {
  id: number
  webhookId: number
  eventId: string
  type: EventType
  url: string
  eventIds: number[]
  /** Whether it tells an example. */
  isTest: boolean
  status: (typeof DELIVERY_STATUSES)[number]
  attempts: number
  responseStatus: number | null
  responseMs: number | null
  response: string | null
  error: string | null
  nextAttemptAt: Date | null
  createdAt: Date
  deliveredAt: Date | null
}

const PayloadView = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum(EVENT_TYPES),
    timestamp: Type.String({ format: 'date-time' }),
    test: Type.Optional(Type.Boolean({ description: 'True for an example of POST /webhooks/test; else absent.' })),
    data: Type.Array(Type.Object({}, { additionalProperties: true }))
  },
  { $id: 'WebhookPayload' }
)

export type Payload = Static<typeof PayloadView>

const Moment = (description?: string) =>
  Nullable(Type.String({ format: 'date-time', ...(description !== undefined && { description }) }))

export const WebhookDeliveryView = Type.Object(
  {
    id: Type.Integer(),
    event_id: Type.String({ description: 'The `webhook-id` of every attempt.' }),
    type: Type.Enum(EVENT_TYPES),
    url: Type.String(),
    test: Type.Boolean({ description: 'Whether it is an example, of POST /webhooks/test.' }),
    status: Type.Enum(DELIVERY_STATUSES),
    attempts: Type.Integer(),
    response_status: Nullable(
      Type.Integer({ description: 'The HTTP status of the last attempt, if it was answered.' })
    ),
    response_ms: Nullable(Type.Integer({ description: 'How long the last attempt took.' })),
    response: Nullable(Type.String({ description: 'The body of that answer, its first 2 kB.' })),
    error: Nullable(Type.String({ description: 'The error of the last attempt.' })),
    next_attempt_at: Moment('Null when none follows.'),
    created_at: Type.String({ format: 'date-time' }),
    delivered_at: Moment(),
    payload: Type.Unsafe<Payload | null>({
      anyOf: [PayloadView, { type: 'null' }],
      description:
        'The body that is sent. Null when its events are no longer kept, or when a page has too many events to show: ask for fewer deliveries then.'
    })
  },
  { $id: 'WebhookDeliveryRo' }
)

export function toDeliveryView(delivery: WebhookDelivery, payload: Payload | null): Static<typeof WebhookDeliveryView> {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    type: delivery.type,
    url: delivery.url,
    test: delivery.isTest,
    status: delivery.status,
    attempts: delivery.attempts,
    response_status: delivery.responseStatus,
    response_ms: delivery.responseMs,
    response: delivery.response,
    error: delivery.error,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
    payload
  }
}

export const deliveryExample: Static<typeof WebhookDeliveryView> = {
  id: 1042,
  event_id: 'evt_1042',
  type: 'clicks',
  url: 'https://shop.example/hooks/clicks',
  test: false,
  status: 'succeeded',
  attempts: 1,
  response_status: 200,
  response_ms: 84,
  response: 'OK',
  error: null,
  next_attempt_at: null,
  created_at: '2026-11-15T09:30:00.000Z',
  delivered_at: '2026-11-15T09:30:00.120Z',
  payload: {
    id: 'evt_1042',
    type: 'clicks',
    timestamp: '2026-11-15T09:30:00.000Z',
    data: [
      {
        message_id: 7,
        recipient: '+33639980001',
        url: 'https://shop.example/winter',
        timestamp: '2026-11-15T09:30:00.000Z',
        sequence: 3
      }
    ]
  }
}

export const pendingExample: Static<typeof WebhookDeliveryView> = {
  ...deliveryExample,
  status: 'pending',
  attempts: 0,
  response_status: null,
  response_ms: null,
  response: null,
  next_attempt_at: '2026-11-15T09:30:00.000Z',
  delivered_at: null
}
