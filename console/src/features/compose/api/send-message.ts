import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, call, type Schemas } from '../../../lib/api.ts'
import { type Draft, toRequest } from '../draft.ts'

export type Sent = Schemas['SmsStatus']

interface Given {
  draft: Draft
  draftId?: number
  /** What was shown before it was confirmed; the service refuses the send if it takes something else by now. */
  expectedCredits?: number
  idempotencyKey: string
}

/** Whether a send was refused since its price is another than the one that was confirmed. */
export function isPriceChanged(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && 'expected_credits' in error.fields
}

/** One key per act: a second click, or another try after a lost answer, sends nothing twice. */
export function useSendMessage() {
  const queries = useQueryClient()
  return useMutation({
    meta: { isShown: true },
    async mutationFn({ draft, draftId, expectedCredits, idempotencyKey }: Given) {
      const { operation, body } = toRequest(draft, '')
      const fields = { draft: draftId, expected_credits: expectedCredits }
      for (const [name, value] of Object.entries(fields)) {
        if (value === undefined) continue
        if (body instanceof FormData) body.set(name, String(value))
        else Object.assign(body, { [name]: value })
      }
      return (await call(operation, { body: body as never, idempotencyKey })) as Sent
    },
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['messages'] })
      void queries.invalidateQueries({ queryKey: ['credits'] })
      void queries.invalidateQueries({ queryKey: ['drafts'] })
    }
  })
}
