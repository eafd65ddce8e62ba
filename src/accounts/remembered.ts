/** Values that are read again after a while, or when they may have changed. The oldest gives way when there are too many. */
export interface Remembered<T> {
  recall(key: string): T | undefined
  /** The value as it was last read, however long ago. */
  last(key: string): T | undefined
  /** Reads a value and remembers it. */
  look(key: string, find: () => Promise<T | undefined>): Promise<T | undefined>
  forget(isChanged: (value: T) => boolean): void
}

export function createRemembered<T>({ freshMs, max }: { freshMs: number; max: number }): Remembered<T> {
  const found = new Map<string, { value: T; freshUntil: number }>()
  // A value that was read before a change must not be remembered after it.
  let changes = 0
  return {
    recall(key) {
      const entry = found.get(key)
      return entry && entry.freshUntil > Date.now() ? entry.value : undefined
    },
    last: (key) => found.get(key)?.value,
    async look(key, find) {
      const changesBefore = changes
      const value = await find()
      if (value === undefined || changes !== changesBefore) return value
      found.delete(key)
      found.set(key, { value, freshUntil: Date.now() + freshMs })
      if (found.size > max) {
        const [oldest = key] = found.keys()
        found.delete(oldest)
      }
      return value
    },
    forget(isChanged) {
      changes++
      for (const [key, { value }] of found) if (isChanged(value)) found.delete(key)
    }
  }
}
