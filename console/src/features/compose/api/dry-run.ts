import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { type Draft, hasAudience, hasContent, toRequest } from '../draft.ts'

/** A number that receives: for the cost of a message that has no recipients yet. */
const SAMPLE = '+33639980000'
/** A larger file is not uploaded with every typed letter, but once, before the confirmation. */
const FILE_BYTES_MAX = 2_000_000

export type Figures = Schemas['SmsResume'] & { rcs_count?: number }

/** The cost of sending it. */
export const dryRunQuery = (draft: Draft) =>
  queryOptions({
    queryKey: [
      'dry run',
      { ...draft, file: draft.file && [draft.file.name, draft.file.size, draft.file.lastModified] }
    ],
    // Aborted when the draft has changed: for a long list each dry run takes the service a while.
    queryFn: ({ signal }) => ask(draft, signal),
    retry: false,
    gcTime: 60_000
  })

/** The same while the message is being written: asked again when typing has paused. */
export function useDryRun(draft: Draft) {
  const isLargeFile = draft.audience === 'file' && (draft.file?.size ?? 0) > FILE_BYTES_MAX
  const counted: Draft = isLargeFile ? { ...draft, audience: 'numbers', numbers: '' } : draft
  return {
    isForAll: hasAudience(counted),
    isLargeFile,
    ...useQuery({ ...dryRunQuery(counted), enabled: hasContent(counted), placeholderData: keepPreviousData })
  }
}

async function ask(draft: Draft, signal: AbortSignal): Promise<Figures> {
  const { operation, body } = toRequest(draft, SAMPLE)
  return (await call(operation, { query: { resumeBefore: true }, body: body as never, signal })) as Figures
}
