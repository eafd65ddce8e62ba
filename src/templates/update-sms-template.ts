import type { OurNumbers } from '../compliance/sender.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import {
  checkLabels,
  judgeTemplateSender,
  SENDER_REFUSAL,
  SmsTemplateChanges,
  SmsTemplateView,
  smsTemplateExample,
  toSmsTemplateView,
  withWarnings
} from './template.ts'
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
    refusals: SENDER_REFUSAL,
    async handle({ caller, params, body, database, record }) {
      checkLabels(body, { country: caller.country, ourNumbers: numbers.ourNumbers })
      const warnings = judgeTemplateSender(body.sender, caller, numbers)
      return database.begin(async (database) => {
        const updated = await updateRow(database, { accountId: caller.accountId, id: params.id, changes: body })
        if (!updated) throw notFound('SMS template')
        const { template, before } = updated
        await record(database, {
          object: { kind: 'template', id: template.id },
          changes: {
            name: [before.name, template.name],
            sender: [before.sender, template.sender],
            ...(template.content !== before.content && { content: 'hidden' })
          }
        })
        return { ...toSmsTemplateView(template), ...withWarnings(warnings) }
      })
    }
  })
