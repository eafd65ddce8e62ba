import type { Webhook } from './api/webhooks.ts'

export type WebhookState = 'active' | 'failing' | 'inactive' | 'disabled'

/** A webhook fails from the first delivery that does not arrive until one does. */
export function stateOf({ active, disabled_reason: reason, failing_since: since }: Webhook): WebhookState {
  if (reason !== null) return 'disabled'
  if (!active) return 'inactive'
  return since === null ? 'active' : 'failing'
}
