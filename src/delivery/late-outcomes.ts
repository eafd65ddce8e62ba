import { setTimeout as sleep } from 'node:timers/promises'
import type { SubmitOutcome } from '../carriers/carrier.ts'
import type { Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { settleLateOutcome } from './resolve-doubts.ts'
import { withoutFallback } from './settle-outcomes.ts'

/** A late answer may come before its doubt is stored. */
const TRIES_MS = [0, 200, 1_000, 5_000]

interface LateOptions {
  pool: Pool
  log: Log
  /** Then each is tried once more, and no longer. */
  isStopping(): boolean
  onSettled(): void
}

/** Answers of carriers that came after their submits had timed out, on their way into the database. */
export class LateOutcomes {
  readonly #options: LateOptions
  readonly #settling = new Set<Promise<void>>()

  constructor(options: LateOptions) {
    this.#options = options
  }

  add(reference: number, outcome: SubmitOutcome, submittedAt: Date): void {
    const { log } = this.#options
    const settling = this.#settle(reference, outcome, submittedAt)
      .catch((error) => log.error({ reference, err: error }, 'late answer of a carrier could not be stored'))
      .finally(() => this.#settling.delete(settling))
    this.#settling.add(settling)
  }

  async untilSettled(): Promise<void> {
    await Promise.all(this.#settling)
  }

  async #settle(reference: number, outcome: SubmitOutcome, submittedAt: Date): Promise<void> {
    const { pool, isStopping, onSettled } = this.#options
    const late = { reference, outcome: withoutFallback(outcome), submittedAt }
    for (const delayMs of TRIES_MS) {
      await sleep(delayMs)
      if (await pool.begin((database) => settleLateOutcome(database, late))) break
      if (isStopping()) break
    }
    onSettled()
  }
}
