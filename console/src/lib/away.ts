import { createStore } from './store.ts'

/*
 * Whether the service is away. It is then asked every few seconds, so that pages without requests of their own come back too.
 */

const ASK_MS = 3_000
const away = createStore(false)

export const useIsAway = away.use

export function noteAway(onBack: () => void): void {
  if (away.read()) return
  away.change(true)
  const timer = setInterval(async () => {
    const isBack = await fetch('/health/ready').then(
      ({ ok }) => ok,
      () => false
    )
    if (!isBack || !away.read()) return
    clearInterval(timer)
    away.change(false)
    onBack()
  }, ASK_MS)
}
