import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { pageOf } from '../../../ui/page-of.ts'

export type AutoReply = Schemas['AutoReply']
export type AutoReplyInput = Schemas['AutoReplyDto']
export type AutoReplyAnswer = Schemas['AutoReplyAnswer']

export const AUTO_REPLIES = ['auto-replies']

/** An account has a hundred at most, so they are loaded at once. */
export const pageAutoReplies = async (page: { page: number; limit: number }, signal: AbortSignal) =>
  pageOf(await call('listAutoReplies', { signal }), page)

export const autoReplyQuery = (id: number) =>
  queryOptions({
    queryKey: [...AUTO_REPLIES, id],
    queryFn: ({ signal }) => call('readAutoReply', { path: { id }, signal })
  })

export const pageAnswers = (id: number, query: { page: number; limit: number }, signal: AbortSignal) =>
  call('pageAutoReplyAnswers', { path: { id }, query, signal })

/** Makes an auto-reply, or replaces one that is there. */
export const saveAutoReply = (id: number | undefined, body: AutoReplyInput, idempotencyKey: string) =>
  id === undefined
    ? call('createAutoReply', { body, idempotencyKey })
    : call('updateAutoReply', { path: { id }, body, idempotencyKey })

/** The same auto-reply, on or off. */
export const turn = ({ id, created_at: _created, updated_at: _updated, ...body }: AutoReply, isOn: boolean) =>
  call('updateAutoReply', { path: { id }, body: { ...body, is_on: isOn } })

export const deleteAutoReply = (id: number) => call('deleteAutoReply', { path: { id } })
