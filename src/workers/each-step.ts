import type { Log } from '../http/log.ts'

export interface Step {
  /** Names it in the log and the metrics. */
  name: string
  /** Does a part of the due work, and returns whether more is due at once. */
  work(): Promise<{ isMoreDue: boolean }>
}

/** Does the steps one after the other. A step that fails is logged and counted, and the next one follows. */
export async function doEachStep(
  steps: readonly Step[],
  { log, onFailed }: { log: Log; onFailed(name: string): void }
): Promise<{ isMoreDue: boolean }> {
  let isMoreDue = false
  for (const { name, work } of steps) {
    try {
      if ((await work()).isMoreDue) isMoreDue = true
    } catch (error) {
      onFailed(name)
      log.error({ step: name, err: error }, 'cleaning step failed; the others go on')
    }
  }
  return { isMoreDue }
}
