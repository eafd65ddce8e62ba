import { isBusy } from './database.ts'

/** Repeats work that gave up because of a lock of others, `triesMax` times in all. By then the others have gone on. */
export async function retryBusy<T>(triesMax: number, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || tries === triesMax) throw error
    }
  }
}
