import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { type Draft, hasAudience, hasContent, toRequest } from '../draft.ts'

/** A number that receives: for what a message takes, before it is known who gets it. */
const SAMPLE = '+33639980000'
/** A larger file is not sent again with every letter that is typed. */
const FILE_BYTES_MAX = 2_000_000

export type Figures = Schemas['SmsResume'] & { rcs_count?: number }

/** What sending it would take: asked again when the draft has rested. */
export function useDryRun(draft: Draft) {
  const isLargeFile = draft.audience === 'file' && (draft.file?.size ?? 0) > FILE_BYTES_MAX
  const counted: Draft = isLargeFile ? { ...draft, audience: 'numbers', numbers: '' } : draft
  return {
    isForAll: hasAudience(counted),
    isLargeFile,
    ...useQuery({
      queryKey: [
        'dry run',
        { ...counted, file: counted.file && [counted.file.name, counted.file.size, counted.file.lastModified] }
      ],
      queryFn: () => ask(counted),
      enabled: hasContent(counted),
      placeholderData: keepPreviousData,
      retry: false,
      gcTime: 60_000
    })
  }
}

async function ask(draft: Draft): Promise<Figures> {
  const { operation, body } = toRequest(draft, SAMPLE)
  return (await call(operation, { query: { resumeBefore: true }, body: body as never })) as Figures
}
