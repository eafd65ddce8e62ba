import { isBusy } from './database.ts'

/** Does something again that gave up because of others, who have gone on by then; `triesMax` times in all. */
export async function retryBusy<T>(triesMax: number, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || tries === triesMax) throw error
    }
  }
}
