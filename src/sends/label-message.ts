import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { MessageView, messageExample, toMessageView } from '../messages/message-view.ts'
import { updateLabels } from '../messages/messages.store.ts'
import { Nullable } from '../schemas/nullable.ts'
import { MessageName, MessageTags, readLabels } from './labels.ts'

export const labelMessage = operation({
  route: 'PUT /messages/{id}/labels',
  id: 'labelMessage',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Name and tag a message',
  description:
    'Replaces the name and the tags of a message, in any state. Without `name`, or with null, it has no name afterwards; without `tags`, no tags.',
  body: Type.Object(
    { name: Type.Optional(Nullable(MessageName)), tags: Type.Optional(MessageTags) },
    { $id: 'MessageLabels' }
  ),
  answer: MessageView,
  example: {
    body: { name: 'Winter sale', tags: ['sale', 'winter'] },
    answer: { ...messageExample, name: 'Winter sale', tags: ['sale', 'winter'] }
  },
  async handle({ caller, params, body, database, record }) {
    const key = { accountId: caller.accountId, id: params.id }
    const { name = null, tags = null } = readLabels({ ...(body.name && { name: body.name }), tags: body.tags ?? [] })
    return database.begin(async (database) => {
      const message = await updateLabels(database, { ...key, name, tags })
      if (!message) throw notFound('message')
      await record(database, { object: { kind: 'message', id: key.id } })
      return toMessageView(message, caller.timeZone)
    })
  }
})
