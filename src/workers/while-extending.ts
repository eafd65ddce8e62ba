/** Every lease is for 10 s: two extensions in a row may fail. */
const EXTEND_MS = 3_000

/**
 * Extends a lease for as long as some work takes. A lease that can't be extended runs out, and another process does the
 * same work: that must do no harm.
 */
export async function whileExtending<T>(extend: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let extending: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    extending = extending.then(extend).catch(() => undefined)
  }, EXTEND_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await extending
  }
}
