export interface GroupLimits {
  /** How many calls one statement takes. */
  sizeMax: number
  /** How many statements may run at once. */
  runningMax: number
  /** Under load, how long after one statement the next one leaves: the longer, the more calls share it. */
  spacingMs: number | (() => number)
}

/**
 * Lets calls that arrive together share one statement. The first call leaves at once, so that nothing is slower when
 * there is little to do; those that come while it runs, or right after it, wait and leave together. A call never joins
 * a statement that has already left: what that statement read may be older than the call.
 */
export function groupCalls<K, V>(
  run: (keys: K[]) => Promise<readonly V[]>,
  limits: GroupLimits
): (key: K) => Promise<V> {
  const add = gather<Call<K, V>>(async (group) => {
    try {
      const values = await run(group.map(({ key }) => key))
      for (const [index, call] of group.entries()) call.resolve(values[index] as V)
    } catch (error) {
      for (const call of group) call.reject(error)
    }
  }, limits)
  return (key) => {
    const { promise, resolve, reject } = Promise.withResolvers<V>()
    add({ key, resolve, reject })
    return promise
  }
}

/** The same for items whose result no caller waits for: it costs no promise each. `run` must not reject. */
export function gather<T>(
  run: (group: T[]) => Promise<void>,
  { sizeMax, runningMax, spacingMs }: GroupLimits
): (item: T) => void {
  let waiting: T[] = []
  let running = 0
  let leftAt = Number.NEGATIVE_INFINITY
  let isLeaving = false

  /** At the end of this turn of the event loop, so that requests read from several sockets at once travel together. */
  function leaveSoon() {
    if (isLeaving || waiting.length === 0 || running >= runningMax) return
    isLeaving = true
    const waitMs = leftAt + (typeof spacingMs === 'number' ? spacingMs : spacingMs()) - performance.now()
    if (waitMs > 0 && waiting.length < sizeMax) setTimeout(leave, waitMs)
    else setImmediate(leave)
  }

  function leave() {
    isLeaving = false
    leftAt = performance.now()
    while (running < runningMax && waiting.length > 0) {
      const group = waiting.slice(0, sizeMax)
      waiting = waiting.slice(sizeMax)
      running++
      run(group).finally(() => {
        running--
        leaveSoon()
      })
    }
  }

  return (item) => {
    waiting.push(item)
    leaveSoon()
  }
}

interface Call<K, V> {
  key: K
  resolve: (value: V) => void
  reject: (reason: unknown) => void
}
