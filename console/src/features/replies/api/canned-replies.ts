import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type CannedReply = Schemas['CannedReply']

export const cannedRepliesQuery = queryOptions({
  queryKey: ['canned replies'],
  queryFn: () => call('listCannedReplies')
})

export function saveCannedReply({ id, ...body }: Schemas['CannedReplyDto'] & { id: number | undefined }) {
  return id === undefined ? call('createCannedReply', { body }) : call('updateCannedReply', { path: { id }, body })
}

export const deleteCannedReply = (id: number) => call('deleteCannedReply', { path: { id } })
