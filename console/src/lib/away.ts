import { createStore } from './store.ts'

/*
 * Whether the service has gone away. It is then asked every so often whether it is back, so that pages that ask for nothing by
 * themselves come back too.
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
