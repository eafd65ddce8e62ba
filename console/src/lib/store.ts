import { useSyncExternalStore } from 'react'

const personal = new Set<() => void>()

/** A store whose value ends with the session of its account. */
export function createPersonalStore<T>(first: T) {
  const store = createStore(first)
  personal.add(() => store.change(first))
  return store
}

export function forgetPersonal(): void {
  for (const forget of personal) forget()
}

/** A value outside of any component. Components that use it are drawn again when it changes. */
export function createStore<T>(first: T) {
  let value = first
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    read: () => value,
    change(next: T): void {
      value = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, () => value)
  }
}
