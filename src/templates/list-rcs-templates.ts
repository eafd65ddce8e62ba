import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { RcsTemplateView, rcsTemplateExample, toRcsTemplateView } from './rcs-template.ts'
import { listRcsTemplates as listRows } from './templates.store.ts'

export const listRcsTemplates = operation({
  route: 'GET /models/rcs',
  id: 'listRcsTemplates',
  tag: 'Modèle',
  permission: 'read',
  summary: 'List RCS templates',
  description: 'All RCS templates of this account, newest first. SMS templates are listed at `/models`.',
  answer: Type.Array(RcsTemplateView),
  example: { answer: [rcsTemplateExample.answer] },
  async handle({ caller, database }) {
    const templates = await listRows(database, { accountId: caller.accountId })
    return templates.map(toRcsTemplateView)
  }
})
