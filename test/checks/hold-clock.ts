import type { TestContext } from 'node:test'

/** Holds the monotonic clock of this process until the test ends. Time passes only by `pass`, however busy the machine is. */
export function holdClock(t: TestContext): { nowMs: number; pass(ms: number): void } {
  const real = performance.now
  const clock = {
    nowMs: performance.now(),
    pass(ms: number) {
      clock.nowMs += ms
    }
  }
  // Not a mock: it would keep the stack of each of 25,000 calls.
  performance.now = () => clock.nowMs
  t.after(() => {
    performance.now = real
  })
  return clock
}
