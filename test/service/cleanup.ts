import type { TestContext } from 'node:test'

const stacks = new WeakMap<TestContext, (() => Promise<unknown> | unknown)[]>()

/** Closes something when the test ends. The last opened is closed first, which `t.after` alone does not do. */
export function atEnd(t: TestContext, close: () => Promise<unknown> | unknown): void {
  const stack = stacks.get(t)
  if (stack) {
    stack.push(close)
    return
  }
  const fresh = [close]
  stacks.set(t, fresh)
  t.after(async () => {
    for (let next = fresh.pop(); next; next = fresh.pop()) await next()
  })
}
