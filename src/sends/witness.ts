import { createHash, type Hash, hash } from 'node:crypto'
import { inOrder } from '../http/idempotency.ts'
import type { Candidate } from './plan.ts'
import type { Send } from './send.ts'

/**
 * Remembers what a send comes to: its text and its people with their variables, in their order. A dry run and a send
 * with equal digests write the same to the same people, though a list or a template may have changed between them.
 */
export class Witness {
  #seen: Hash = createHash('sha256')

  /** A send may be planned again. */
  begin(send: Send): void {
    const text = send.channel === 'sms' ? send.content.text : send.message
    this.#seen = createHash('sha256').update(JSON.stringify([send.channel, text, send.sender?.name ?? null]))
  }

  add({ phone, values }: Pick<Candidate, 'phone' | 'values'>): void {
    this.#seen.update(JSON.stringify([phone, ...values]))
  }

  digest(): Buffer {
    return this.#seen.copy().digest()
  }
}

/** A hash of a request. The order of the names in its body does not matter. */
export function hashRequest(operationId: string, body: unknown): Buffer {
  return hash('sha256', JSON.stringify([operationId, inOrder(body)]), 'buffer')
}
