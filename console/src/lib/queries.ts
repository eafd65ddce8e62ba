import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'
import { noteAway } from './away.ts'

const RETRIES_MAX = 2

// The default is one task later: the second click of a double click would come before the button is busy.
notifyManager.setScheduler(queueMicrotask)

/** A refused request is not repeated. A request that failed on its way is repeated twice, and again when the service is back. */
export function createQueryClient(onWriteError: (error: Error) => void): QueryClient {
  const lookAt = (error: Error) => {
    if (isAway(error)) noteAway(() => void client.invalidateQueries())
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: lookAt }),
    mutationCache: new MutationCache({
      onError(error, _given, _context, mutation) {
        lookAt(error)
        // A form shows its own problems.
        if (!mutation.meta?.isShown) onWriteError(error)
      }
    }),
    defaultOptions: {
      // Offline, a request fails at once and says so. By default it would wait, and leave in silence once the network is back.
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (count, error) =>
          count < RETRIES_MAX && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500)
      },
      mutations: { networkMode: 'always', retry: false }
    }
  })
  return client
}

const isAway = (error: Error) => error instanceof ApiError && (error.status === 0 || error.status === 503)
