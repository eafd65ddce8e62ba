/**
 * Ids that carriers have just given, whose recipients are on their way into the database. A receipt is often quicker than
 * that: it waits here for the commit instead of being taken for one that nobody knows.
 */
export class Settling {
  /** By carrier and canonical id. A carrier may give an id twice: then it is settled with the last. */
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

  /** Undefined when there is nothing to wait for. */
  untilSettled(carrier: string, canonicalId: string): Promise<void> | undefined {
    const begun = this.#begun.get(nameOf(carrier, canonicalId))
    return begun && new Promise((resolve) => begun.waiting.push(resolve))
  }
}

function nameOf(carrier: string, canonicalId: string): string {
  return `${carrier} ${canonicalId}`
}
