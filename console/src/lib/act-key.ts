import { useRef } from 'react'

/** The idempotency key of an act: the same for another try after a lost answer, so that the act is done once. */
export function useActKey() {
  const last = useRef<{ act: string; key: string }>(undefined)
  return {
    keyOf(given: object): string {
      const act = JSON.stringify(given)
      if (last.current?.act !== act) last.current = { act, key: crypto.randomUUID() }
      return last.current.key
    },
    /** The act is done: a repeat is another act, with another key. */
    renew(): void {
      last.current = undefined
    }
  }
}
