import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import type { LaterSending } from '../sends/depart.ts'
import { lockAutoReply, updateAutoReply as updateRow } from './auto-replies.store.ts'
import { AutoReplyInput, AutoReplyView, autoReplyExample, inputExample, toAutoReplyView } from './auto-reply.ts'
import { readInput } from './read-input.ts'

export const updateAutoReply = (sending: LaterSending) =>
  operation({
    route: 'PUT /auto-replies/{id}',
    id: 'updateAutoReply',
    tag: 'Beyond',
    permission: 'send',
    summary: 'Change an auto-reply',
    description: 'Replaces all of a rule, checked like a new one. Its history stays.',
    body: AutoReplyInput,
    answer: AutoReplyView,
    example: { body: inputExample, answer: autoReplyExample },
    handle: ({ caller, params, body, database, record }) =>
      database.begin(async (database) => {
        const key = { accountId: caller.accountId, id: params.id }
        const before = await lockAutoReply(database, key)
        if (!before) throw notFound('auto-reply')
        const after = await updateRow(database, key, await readInput(database, body, { caller, sending }))
        if (!after) throw notFound('auto-reply')
        await record(database, {
          object: { kind: 'auto_reply', id: params.id },
          changes: {
            name: [before.name, after.name],
            keywords: [before.keywords.join(' '), after.keywords.join(' ')],
            is_on: [before.isOn, after.isOn],
            ...(after.content !== before.content && { content: 'hidden' as const })
          }
        })
        return toAutoReplyView(after)
      })
  })
