import { useRef } from 'react'

/** The key of what somebody is about to do: the same when they try again after an answer was lost, so that it is done once. */
export function useActKey() {
  const last = useRef<{ act: string; key: string }>(undefined)
  return {
    keyOf(given: object): string {
      const act = JSON.stringify(given)
      if (last.current?.act !== act) last.current = { act, key: crypto.randomUUID() }
      return last.current.key
    },
    /** It is done: the same once more is another act. */
    renew(): void {
      last.current = undefined
    }
  }
}
