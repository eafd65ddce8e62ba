import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'

const RETRIES_MAX = 2

/** What is refused is not asked again; what failed on the way is, twice. */
export function createQueryClient(onWriteError: (error: Error) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache(),
    mutationCache: new MutationCache({
      onError(error, _given, _context, mutation) {
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
}
