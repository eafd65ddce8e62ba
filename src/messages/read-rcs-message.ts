import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { RCS_TYPES, RcsData } from '../rcs/rcs-content.ts'
import { Nullable } from '../schemas/nullable.ts'
import { findSentRcs } from './find-sent-rcs.ts'

export const readRcsMessage = operation({
  route: 'GET /messages/{id}/rcs',
  id: 'readRcsMessage',
  tag: 'Beyond',
  permission: 'read',
  summary: 'What an RCS message shows',
  description:
    'The text, card or carousel of an RCS message and its fallback, as they were given: with variables where they stand. What each person got is with the recipients. Of a message whose only recipient was erased, the words are gone.',
  answer: Type.Object(
    {
      type: Type.Enum(RCS_TYPES),
      data: RcsData,
      fallback: Nullable(Type.Object({ content: Type.String(), sender: Nullable(Type.String()) }))
    },
    { $id: 'RcsShown' }
  ),
  example: {
    answer: {
      type: 'card',
      data: { title: 'Bonjour #prenom#', description: 'Votre commande est prête.' },
      fallback: { content: 'Bonjour #prenom#, votre commande est prête.', sender: 'Boutique' }
    }
  },
  async handle({ caller, params, database }) {
    const { shown } = await findSentRcs(database, { accountId: caller.accountId, id: params.id })
    const { type, data, fallbackContent: content, fallbackSender: sender } = shown
    return { type, data, fallback: content === null ? null : { content, sender } }
  }
})
