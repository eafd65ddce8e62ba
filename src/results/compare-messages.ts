import Type from 'typebox'
import { invalidInput, notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { MessageResult, messageResultExample, toMessageResult } from './message-result.ts'
import { listMessageCounts } from './message-results.store.ts'

const MESSAGES_MAX = 10

export const compareMessages = operation({
  route: 'GET /stats/compare',
  id: 'compareMessages',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Messages side by side',
  description: `The results of up to ${MESSAGES_MAX} messages, in the order in which they are given.`,
  query: Type.Object({
    messages: Type.String({ maxLength: 200, description: 'The ids of the messages, such as `7,12`.' })
  }),
  answer: Type.Array(MessageResult),
  example: { answer: [messageResultExample, { ...messageResultExample, message_id: 12, name: 'Soldes d’été' }] },
  refusals: { not_found: 'One of the messages is not there.' },
  mayLag: true,
  async handle({ caller, query, database }) {
    const ids = readIds(query.messages)
    const rows = await listMessageCounts(database, { accountId: caller.accountId, ids })
    const byId = new Map(rows.map((row) => [row.messageId, row]))
    return ids.map((id) => {
      const found = byId.get(id)
      if (!found) throw notFound('message')
      return toMessageResult(found)
    })
  }
})

function readIds(text: string): number[] {
  const ids = [...new Set(text.split(',').map(toId))]
  if (ids.includes(undefined) || ids.length > MESSAGES_MAX) {
    throw invalidInput([{ path: 'messages', message: `must be up to ${MESSAGES_MAX} ids of messages, such as 7,12` }])
  }
  return ids as number[]
}

function toId(text: string): number | undefined {
  const id = /^\d{1,16}$/.test(text.trim()) ? Number(text) : undefined
  return Number.isSafeInteger(id) ? id : undefined
}
