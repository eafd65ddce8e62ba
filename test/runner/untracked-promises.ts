import asyncHooks, { type HookCallbacks } from 'node:async_hooks'

/*
 * Loaded first in each process of tests. node:test tracks every promise of the process, to tell which test an error belongs to
 * that nobody caught. That takes up to a sixth of the CPU time of a process. Here it tracks all but promises. Such an error
 * still fails the run, though often the whole process and not a test, so it is printed with its place.
 */

const { createHook } = asyncHooks
Object.assign(asyncHooks, {
  createHook: (callbacks: HookCallbacks) => createHook({ ...callbacks, trackPromises: false })
})

process.on('uncaughtExceptionMonitor', tell)
process.on('unhandledRejection', tell)

function tell(error: unknown): void {
  // Also before node:test listens.
  process.exitCode = 1
  console.error('Nobody caught', error)
}
