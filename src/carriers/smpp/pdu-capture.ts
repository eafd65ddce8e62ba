import type { PduTap } from '../../smpp/link.ts'
import { type RedactedPdu, redactPdu } from '../../smpp/redact-pdu.ts'

/** Of one bind, in memory and in the database. */
export const PDUS_MAX = 100

/**
 * The last PDUs of a bind, while somebody wants to see them. A PDU is redacted when it passes: nothing of it that must not be
 * seen stays in memory, and its Buffers are not kept.
 */
export class PduCapture implements PduTap {
  /** Tested for every PDU: nothing else is done while it is false. */
  isOn = false
  /** How many PDUs passed since it began. */
  seen = 0
  #pdus: RedactedPdu[] = []
  #untilMs = 0

  see(...[direction, pdu]: Parameters<PduTap['see']>): void {
    this.#pdus[this.seen % PDUS_MAX] = redactPdu(direction, pdu, new Date())
    this.seen++
  }

  /** From now on; 0 ends it. */
  keepFor(forMs: number): void {
    this.#untilMs = performance.now() + forMs
    this.isOn = forMs > 0
    if (this.isOn) return
    this.#pdus = []
    this.seen = 0
  }

  /** Once a second: it ends in time when the database is away, too. */
  tick(): void {
    if (this.isOn && performance.now() >= this.#untilMs) this.keepFor(0)
  }

  /** Oldest first. */
  list(): RedactedPdu[] {
    const oldest = this.seen < PDUS_MAX ? 0 : this.seen % PDUS_MAX
    return [...this.#pdus.slice(oldest), ...this.#pdus.slice(0, oldest)]
  }
}
