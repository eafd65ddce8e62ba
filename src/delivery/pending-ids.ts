/**
 * Message ids that a carrier has answered, and that are not yet committed. A receipt often comes before that commit. It waits
 * here for the commit; otherwise it would match no submission and be parked.
 */
export class PendingIds {
  /** By carrier and canonical id. A carrier may give an id twice: then the last commit settles it. */
  readonly #begun = new Map<string, { count: number; waiting: (() => void)[] }>()

  begin(carrier: string, canonicalIds: readonly string[]): void {
    for (const id of canonicalIds) {
      const name = nameOf(carrier, id)
      const begun = this.#begun.get(name)
      if (begun) begun.count++
      else this.#begun.set(name, { count: 1, waiting: [] })
    }
  }

  end(carrier: string, canonicalIds: readonly string[]): void {
    for (const id of canonicalIds) {
      const name = nameOf(carrier, id)
      const begun = this.#begun.get(name)
      if (!begun || --begun.count > 0) continue
      this.#begun.delete(name)
      for (const resolve of begun.waiting) resolve()
    }
  }

  /** Undefined when the id is not pending. */
  untilSettled(carrier: string, canonicalId: string): Promise<void> | undefined {
    const begun = this.#begun.get(nameOf(carrier, canonicalId))
    return begun && new Promise((resolve) => begun.waiting.push(resolve))
  }
}

function nameOf(carrier: string, canonicalId: string): string {
  return `${carrier} ${canonicalId}`
}
