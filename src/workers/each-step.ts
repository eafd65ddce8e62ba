import type { Log } from '../http/log.ts'

export interface Step {
  /** Names it in the log and the metrics. */
  name: string
  /** Does some of what is due, and tells whether there may be more at once. */
  work(): Promise<{ isMoreDue: boolean }>
}

/** Does each step, one after the other. A step that fails is logged and counted, and keeps none of the others from their turn. */
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
