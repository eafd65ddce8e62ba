import type { RecentSubmission } from '../submissions/submissions.store.ts'

/** Committed ids are kept in two generations of this size; about 10 MB in all. A receipt mostly comes within seconds. */
const GENERATION_MAX = 25_000

/**
 * Message ids that a carrier has answered, and that are not yet committed. A receipt often comes before that commit. It waits
 * here for the commit; otherwise it would match no submission and be parked.
 *
 * Committed ids are kept for a while with their recipients: then the receipt needs no look-up.
 */
export class PendingIds {
  readonly #carriers = new Map<string, OfCarrier>()

  /** With `submission`, the id is kept after its commit. Only for a recipient with one segment. */
  begin(carrier: string, canonicalIds: readonly string[], submission?: RecentSubmission): void {
    const ofCarrier = this.#of(carrier)
    for (const id of canonicalIds) {
      const begun = ofCarrier.begun.get(id)
      if (begun) {
        begun.count++
        begun.submission = undefined
      } else ofCarrier.begun.set(id, { count: 1, waiting: undefined, submission })
    }
  }

  end(carrier: string, canonicalIds: readonly string[]): void {
    const ofCarrier = this.#of(carrier)
    for (const id of canonicalIds) {
      const begun = ofCarrier.begun.get(id)
      // A carrier may give an id twice: then the last commit settles it.
      if (!begun || --begun.count > 0) continue
      ofCarrier.begun.delete(id)
      ofCarrier.forget(id)
      if (begun.submission) ofCarrier.keep(id, begun.submission)
      for (const resolve of begun.waiting ?? []) resolve()
    }
  }

  /** Undefined when the id is not pending. */
  untilSettled(carrier: string, canonicalId: string): Promise<void> | undefined {
    const begun = this.#of(carrier).begun.get(canonicalId)
    if (!begun) return undefined
    begun.waiting ??= []
    const { waiting } = begun
    return new Promise((resolve) => waiting.push(resolve))
  }

  /** The recipient of an id that was committed lately. The id is forgotten: it has one final receipt. */
  takeRecent(carrier: string, canonicalId: string): RecentSubmission | undefined {
    const ofCarrier = this.#of(carrier)
    const submission = ofCarrier.recent.get(canonicalId) ?? ofCarrier.older.get(canonicalId)
    if (submission) ofCarrier.forget(canonicalId)
    return submission
  }

  #of(carrier: string): OfCarrier {
    let ofCarrier = this.#carriers.get(carrier)
    if (!ofCarrier) {
      ofCarrier = new OfCarrier()
      this.#carriers.set(carrier, ofCarrier)
    }
    return ofCarrier
  }
}

interface Begun {
  count: number
  waiting: (() => void)[] | undefined
  submission: RecentSubmission | undefined
}

class OfCarrier {
  readonly begun = new Map<string, Begun>()
  recent = new Map<string, RecentSubmission>()
  /** The generation before. It goes as a whole: to delete the oldest entry of a Map again and again is slow. */
  older = new Map<string, RecentSubmission>()

  keep(id: string, submission: RecentSubmission): void {
    if (this.recent.size >= GENERATION_MAX) {
      this.older = this.recent
      this.recent = new Map()
    }
    this.recent.set(id, submission)
  }

  forget(id: string): void {
    if (!this.recent.delete(id)) this.older.delete(id)
  }
}
