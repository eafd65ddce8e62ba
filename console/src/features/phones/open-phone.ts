import { useSyncExternalStore } from 'react'

/*
 * The virtual phone that lies beside the page, whichever page that is: opened where something is sent to it, it stays until
 * it is put away.
 */

let number: string | undefined
const listeners = new Set<() => void>()

export function openPhone(next: string | undefined): void {
  number = next
  for (const listener of listeners) listener()
}

export function useOpenPhone(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => number
  )
}
