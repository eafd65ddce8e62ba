import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { openFindings } from './findings.ts'
import { ModeSchema } from './mode.ts'
import type { SenderRegisterReader } from './register.ts'
import { SenderView, senderExample, toSenderView } from './sender.ts'
import { listSenders as listRows } from './senders.store.ts'

export const listSenders = (register: SenderRegisterReader) =>
  operation({
    route: 'GET /senders',
    id: 'listSenders',
    tag: 'Beyond',
    permission: 'read',
    summary: 'My senders',
    description: 'The senders that the account has declared, with their states, and the mode that binds the account.',
    answer: Type.Object({ mode: ModeSchema, senders: Type.Array(SenderView) }, { $id: 'Senders' }),
    example: { answer: { mode: 'open', senders: [senderExample] } },
    async handle({ caller: { accountId, topLevelId, parentId }, database }) {
      const [senders, findingsOf] = await Promise.all([listRows(database, accountId), openFindings(database)])
      return {
        mode: register.modeOf({ id: accountId, parentId }),
        senders: senders.map((sender) => toSenderView(sender, findingsOf({ topLevelId, ...sender })))
      }
    }
  })
