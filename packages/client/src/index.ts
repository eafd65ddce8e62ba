export type { EventRecords, Routes, Schemas } from './api-types.ts'
export {
  type Answer,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Input,
  type Route
} from './client.ts'
export { ChappeError, ConnectionError, type ErrorCode, type ErrorDetails, TimeoutError } from './errors.ts'
export { type EventType, eventPages, events, type FeedEvent, type FeedOptions, type FeedPage } from './events.ts'
export { type ExtractRoute, extract, extractCsv, type Row } from './extracts.ts'
export { login } from './login.ts'
export { type Item, type PagedRoute, pages } from './pages.ts'
export { dryRun, type Estimate, type SendRoute, type Sent, send, sendRcs, sendSms } from './sends.ts'
export { signWebhook, verifyWebhook, WebhookError, type WebhookEvent } from './webhooks.ts'
