import { isBusy, isDatabaseUnavailable } from '../database/database.ts'

/** Whether the database is away. A lock or a limit of time may be the matter of one item alone. */
export function isAway(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !isBusy(error)
}

/** The failures of work on many items, one after the other: an item that fails each time must not hold up the others. */
export class Failures {
  readonly #all: unknown[] = []

  /** Undefined when the work failed. While the database is away every item would fail, so that ends the work. */
  async try<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (isAway(error)) throw error
      this.#all.push(error)
      return undefined
    }
  }

  /** After the last item: the worker logs it. */
  throwFirst(): void {
    if (this.#all.length > 0) throw this.#all[0]
  }
}

/** Works on items together, and when that fails, on each by itself: one that fails each time must not hold up the others. */
export async function tryTogether<T>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<unknown>
): Promise<void> {
  try {
    await work(items)
    return
  } catch (error) {
    if (items.length === 1 || isAway(error)) throw error
  }
  const failures = new Failures()
  for (const item of items) await failures.try(() => work([item]))
  failures.throwFirst()
}
