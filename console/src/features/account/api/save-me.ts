import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, call, type Schemas } from '../../../lib/api.ts'
import { meQuery } from './me.ts'

/** Changes the account. `onFields` gets the problems by the name of the field, without the word `settings`. */
export function useSaveMe(saved: string, onFields?: (fields: Record<string, string>) => void) {
  const queries = useQueryClient()
  return useMutation({
    meta: { isShown: true },
    mutationFn: (body: Schemas['MeChanges']) => call('changeMe', { body }),
    onError(error) {
      if (!(error instanceof ApiError)) return
      const fields = Object.entries(error.fields).map(([path, message]) => [path.replace('settings.', ''), message])
      onFields?.(Object.fromEntries(fields))
    },
    onSuccess(me) {
      queries.setQueryData(meQuery.queryKey, me)
      notifications.show({ color: 'green', message: saved })
    }
  })
}
