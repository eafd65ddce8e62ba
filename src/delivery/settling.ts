/**
 * Ids that carriers have just given, whose recipients are on their way into the database. A receipt is often quicker than
 * that: it waits here for the commit instead of being taken for one that nobody knows.
 */
export class Settling {
  /** By carrier and canonical id: who waits for it, if anybody does. */
  readonly #waiting = new Map<string, (() => void)[] | undefined>()

  begin(carrier: string, canonicalIds: readonly string[]): void {
    for (const id of canonicalIds) this.#waiting.set(nameOf(carrier, id), undefined)
  }

  end(carrier: string, canonicalIds: readonly string[]): void {
    for (const id of canonicalIds) {
      const name = nameOf(carrier, id)
      const waiting = this.#waiting.get(name)
      this.#waiting.delete(name)
      for (const resolve of waiting ?? []) resolve()
    }
  }

  /** Undefined when there is nothing to wait for. */
  untilSettled(carrier: string, canonicalId: string): Promise<void> | undefined {
    const name = nameOf(carrier, canonicalId)
    if (!this.#waiting.has(name)) return undefined
    return new Promise((resolve) => {
      this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), resolve])
    })
  }
}

function nameOf(carrier: string, canonicalId: string): string {
  return `${carrier} ${canonicalId}`
}
