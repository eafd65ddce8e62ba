import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { SmsTemplateView, smsTemplateExample, toSmsTemplateView } from './template.ts'
import { listSmsTemplates as listRows } from './templates.store.ts'

export const listSmsTemplates = operation({
  route: 'GET /models',
  id: 'listSmsTemplates',
  tag: 'Modèle',
  permission: 'read',
  summary: 'List SMS templates',
  description: 'All SMS templates of this account, newest first. RCS templates are listed at `/models/rcs`.',
  answer: Type.Array(SmsTemplateView),
  example: { answer: [smsTemplateExample] },
  async handle({ caller, database }) {
    const templates = await listRows(database, { accountId: caller.accountId })
    return templates.map(toSmsTemplateView)
  }
})
