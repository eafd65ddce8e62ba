import { Unanswered } from './unanswered.ts'

export interface GroupLimits {
  /** How many calls one statement takes. */
  sizeMax: number
  /** How many statements may run at once. */
  runningMax: number
  /** Under load, how long after one statement the next one leaves: the longer, the more calls share it. */
  spacingMs: number | (() => number)
  /** As many as this leave without waiting for more; as many as one statement takes unless given. */
  enough?(): number
}

/**
 * Lets calls that arrive together share one statement. The first call leaves at once, so that nothing is slower when
 * there is little to do; those that come while it runs, or right after it, wait and leave together. They do not wait when
 * a caller has no answer to as many calls as it ever makes at once: it makes no more before one. A call never joins a
 * statement that has already left: what that statement read may be older than the call.
 *
 * `callerOf` tells callers apart. Without it, all are one.
 */
export function groupCalls<K, V>(
  run: (keys: K[]) => Promise<readonly V[]>,
  limits: GroupLimits,
  callerOf?: (key: K) => string
): (key: K) => Promise<V> {
  const add = gather<Call<K, V>>(
    async (group) => {
      try {
        const values = await run(group.map(({ key }) => key))
        for (const [index, call] of group.entries()) call.resolve(values[index] as V)
      } catch (error) {
        for (const call of group) call.reject(error)
      }
    },
    limits,
    callerOf && (({ key }) => callerOf(key))
  )
  return (key) => {
    const { promise, resolve, reject } = Promise.withResolvers<V>()
    add({ key, resolve, reject })
    return promise
  }
}

/** The same for items whose result no caller waits for: it costs no promise each. `run` must not reject. */
export function gather<T>(
  run: (group: T[]) => Promise<void>,
  { sizeMax, runningMax, spacingMs, enough = () => sizeMax }: GroupLimits,
  callerOf: (item: T) => string = () => ''
): (item: T) => void {
  let waiting: T[] = []
  let running = 0
  let leftAt = Number.NEGATIVE_INFINITY
  let isLeaving = false
  let timer: NodeJS.Timeout | undefined
  const callers = new Map<string, Unanswered>()

  function unansweredOf(item: T): Unanswered {
    const caller = callerOf(item)
    let unanswered = callers.get(caller)
    if (!unanswered) {
      unanswered = new Unanswered()
      callers.set(caller, unanswered)
    }
    return unanswered
  }

  /** At the end of this turn of the event loop, so that requests read from several sockets at once travel together. */
  function leaveSoon(isAllHere: boolean) {
    if (isLeaving || waiting.length === 0 || running >= runningMax) return
    const isNow = isAllHere || waiting.length >= Math.min(sizeMax, enough())
    if (timer && !isNow) return
    const waitMs = isNow ? 0 : leftAt + (typeof spacingMs === 'number' ? spacingMs : spacingMs()) - performance.now()
    if (waitMs > 0) {
      timer = setTimeout(leave, waitMs)
      return
    }
    clearTimeout(timer)
    isLeaving = true
    setImmediate(leave)
  }

  function leave() {
    isLeaving = false
    timer = undefined
    leftAt = performance.now()
    for (const unanswered of callers.values()) unanswered.letPass(leftAt)
    while (running < runningMax && waiting.length > 0) {
      const group = waiting.slice(0, sizeMax)
      waiting = waiting.slice(sizeMax)
      running++
      for (const item of group) unansweredOf(item).run(1)
      run(group).finally(() => {
        running--
        for (const item of group) unansweredOf(item).answer(1)
        leaveSoon(callers.values().some(({ areAllWaiting }) => areAllWaiting))
      })
    }
  }

  return (item) => {
    waiting.push(item)
    const unanswered = unansweredOf(item)
    unanswered.add()
    leaveSoon(unanswered.areAllWaiting)
  }
}

interface Call<K, V> {
  key: K
  resolve: (value: V) => void
  reject: (reason: unknown) => void
}
