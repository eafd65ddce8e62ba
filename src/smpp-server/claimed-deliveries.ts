/** The deliveries that binds of this process have claimed, until their answers are stored or their binds have ended. */
export class ClaimedDeliveries {
  readonly #idsByBind = new Map<string, Set<number>>()
  readonly #waitingByBind = new Map<string, () => void>()

  add(bindId: string, id: number): void {
    const ids = this.#idsByBind.get(bindId)
    if (ids) ids.add(id)
    else this.#idsByBind.set(bindId, new Set([id]))
  }

  remove(bindId: string, id: number): void {
    const ids = this.#idsByBind.get(bindId)
    if (!ids?.delete(id) || ids.size > 0) return
    this.#idsByBind.delete(bindId)
    this.#waitingByBind.get(bindId)?.()
    this.#waitingByBind.delete(bindId)
  }

  idsOf(bindId: string): number[] {
    return [...(this.#idsByBind.get(bindId) ?? [])]
  }

  /** Until a bind that has ended has none: what it answered is stored, or could not be. */
  async untilNone(bindId: string): Promise<void> {
    if (!this.#idsByBind.has(bindId)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waitingByBind.set(bindId, resolve)
    await promise
  }
}
