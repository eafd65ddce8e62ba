import type { OurNumbers } from '../compliance/sender.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { checkLabels, SmsTemplateChanges, SmsTemplateView, smsTemplateExample, toSmsTemplateView } from './template.ts'
import { updateSmsTemplate as updateRow } from './templates.store.ts'

export const updateSmsTemplate = (numbers: OurNumbers) =>
  operation({
    route: 'PUT /models/{id}',
    id: 'updateSmsTemplate',
    tag: 'Modèle',
    permission: 'send',
    summary: 'Update an SMS template',
    description: 'Changes the fields given and leaves the others. Messages that were made from it stay as they are.',
    body: SmsTemplateChanges,
    answer: SmsTemplateView,
    example: { body: { name: 'Rappel de rendez-vous' }, answer: smsTemplateExample },
    async handle({ caller, params, body, database }) {
      checkLabels(body, { country: caller.country, ourNumbers: numbers.ourNumbers })
      const template = await updateRow(database, { accountId: caller.accountId, id: params.id, changes: body })
      if (!template) throw notFound('SMS template')
      return toSmsTemplateView(template)
    }
  })
