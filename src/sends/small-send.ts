import type { Refusal } from '../errors.ts'
import type { SharedKey } from '../http/idempotency.ts'
import type { Accepted } from './accepted.ts'
import type { Candidate, Plan } from './plan.ts'
import type { Send } from './send.ts'

/** A send with known recipients, about to enter a shared transaction. */
export interface SmallSend {
  send: Send
  plan: Plan
  candidates: Candidate[]
  /** The Idempotency-Key of the request, under which the transaction stores the answer. */
  keeping: Keeping | undefined
}

export interface Keeping {
  key: SharedKey
  toAnswer(accepted: Accepted): unknown
}

/** A refusal is a value here: an exception would undo the other sends of the transaction. */
export type Outcome = Accepted | Refusal
