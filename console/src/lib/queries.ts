import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'
import { noteAway } from './away.ts'

const RETRIES_MAX = 2

// By default a task later: the second half of a double click would come before the button is busy, and do it twice.
notifyManager.setScheduler(queueMicrotask)

/** What is refused is not asked again; what failed on the way is, twice, and then when the service is back. */
export function createQueryClient(onWriteError: (error: Error) => void): QueryClient {
  const lookAt = (error: Error) => {
    if (isAway(error)) noteAway(() => void client.invalidateQueries())
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: lookAt }),
    mutationCache: new MutationCache({
      onError(error, _given, _context, mutation) {
        lookAt(error)
        // A form shows by itself what is wrong with it.
        if (!mutation.meta?.isShown) onWriteError(error)
      }
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, error) =>
          count < RETRIES_MAX && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500)
      },
      mutations: { retry: false }
    }
  })
  return client
}

const isAway = (error: Error) => error instanceof ApiError && (error.status === 0 || error.status === 503)
