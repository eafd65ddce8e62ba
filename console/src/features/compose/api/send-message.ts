import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { type Draft, toRequest } from '../draft.ts'

export type Sent = Schemas['SmsStatus']

/** One key per act: a second click, or another try after a lost answer, sends nothing twice. */
export function useSendMessage() {
  const queries = useQueryClient()
  return useMutation({
    meta: { isShown: true },
    async mutationFn({ draft, draftId, idempotencyKey }: { draft: Draft; draftId?: number; idempotencyKey: string }) {
      const { operation, body } = toRequest(draft, '')
      if (draftId !== undefined && body instanceof FormData) body.set('draft', String(draftId))
      else if (draftId !== undefined) Object.assign(body, { draft: draftId })
      return (await call(operation, { body: body as never, idempotencyKey })) as Sent
    },
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['messages'] })
      void queries.invalidateQueries({ queryKey: ['credits'] })
      void queries.invalidateQueries({ queryKey: ['drafts'] })
    }
  })
}
