/**
 * Lets calls that arrive together share one statement. The first call leaves at once, so that nothing is slower when
 * there is little to do; those that come while it runs wait for it and leave together. A call never joins a statement
 * that has already left: what that statement read may be older than the call.
 */
export function groupCalls<K, V>(
  run: (keys: K[]) => Promise<readonly V[]>,
  { sizeMax, runningMax }: { sizeMax: number; runningMax: number }
): (key: K) => Promise<V> {
  let waiting: Call<K, V>[] = []
  let running = 0

  function leave() {
    while (running < runningMax && waiting.length > 0) {
      const group = waiting.slice(0, sizeMax)
      waiting = waiting.slice(sizeMax)
      running++
      runGroup(group).finally(() => {
        running--
        leave()
      })
    }
  }

  async function runGroup(group: Call<K, V>[]): Promise<void> {
    try {
      const values = await run(group.map(({ key }) => key))
      for (const [index, call] of group.entries()) call.resolve(values[index] as V)
    } catch (error) {
      for (const call of group) call.reject(error)
    }
  }

  return (key) => {
    const { promise, resolve, reject } = Promise.withResolvers<V>()
    waiting.push({ key, resolve, reject })
    // At the end of this turn of the event loop, so that requests read from several sockets at once travel together.
    if (waiting.length === 1) setImmediate(leave)
    return promise
  }
}

interface Call<K, V> {
  key: K
  resolve: (value: V) => void
  reject: (reason: unknown) => void
}
