import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { RcsTemplateView, rcsTemplateExample, toRcsTemplateView } from './rcs-template.ts'
import { findRcsTemplate } from './templates.store.ts'

export const readRcsTemplate = operation({
  route: 'GET /models/rcs/{id}',
  id: 'readRcsTemplate',
  tag: 'Modèle',
  permission: 'read',
  summary: 'RCS template details',
  description: 'One RCS template. SMS templates are read at `/models/{id}`.',
  answer: RcsTemplateView,
  example: { answer: rcsTemplateExample.answer },
  async handle({ caller, params, database }) {
    const template = await findRcsTemplate(database, { accountId: caller.accountId, id: params.id })
    if (!template) throw notFound('RCS template')
    return toRcsTemplateView(template)
  }
})
