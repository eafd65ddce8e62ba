import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { SmsTemplateView, smsTemplateExample, toSmsTemplateView } from './template.ts'
import { findSmsTemplate } from './templates.store.ts'

export const readSmsTemplate = operation({
  route: 'GET /models/{id}',
  id: 'readSmsTemplate',
  tag: 'Modèle',
  permission: 'read',
  summary: 'SMS template details',
  description: 'One SMS template. RCS templates are read at `/models/rcs/{id}`.',
  answer: SmsTemplateView,
  example: { answer: smsTemplateExample },
  async handle({ caller, params, database }) {
    const template = await findSmsTemplate(database, { accountId: caller.accountId, id: params.id })
    if (!template) throw notFound('SMS template')
    return toSmsTemplateView(template)
  }
})
