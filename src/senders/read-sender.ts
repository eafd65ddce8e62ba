import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { openFindings } from './findings.ts'
import { SenderView, senderExample, toSenderView } from './sender.ts'
import { findSender } from './senders.store.ts'

export const readSender = operation({
  route: 'GET /senders/{id}',
  id: 'readSender',
  tag: 'Beyond',
  permission: 'read',
  summary: 'One of my senders',
  description: 'A sender that the account has declared.',
  answer: SenderView,
  example: { answer: senderExample },
  async handle({ caller: { accountId, topLevelId }, params, database }) {
    const sender = await findSender(database, { accountId, id: params.id })
    if (!sender) throw notFound('sender')
    const findingsOf = await openFindings(database)
    return toSenderView(sender, findingsOf({ topLevelId, ...sender }))
  }
})
