import type { OurNumbers } from '../compliance/sender.ts'
import { operation } from '../http/operation.ts'
import {
  checkLabels,
  judgeTemplateSender,
  SENDER_REFUSAL,
  SmsTemplateInput,
  SmsTemplateView,
  smsTemplateExample,
  toSmsTemplateView,
  withWarnings
} from './template.ts'
import { insertSmsTemplate } from './templates.store.ts'

const { id: _id, isModel: _isModel, ...exampleBody } = smsTemplateExample

export const createSmsTemplate = (numbers: OurNumbers) =>
  operation({
    route: 'POST /models',
    id: 'createSmsTemplate',
    tag: 'Modèle',
    permission: 'send',
    summary: 'Create an SMS template',
    description:
      'Keeps a text to be sent again. Several templates may have the same name. The sender is checked now, by the rules of the account’s country, and again when the template is sent.',
    body: SmsTemplateInput,
    answer: SmsTemplateView,
    example: { body: exampleBody, answer: smsTemplateExample },
    refusals: SENDER_REFUSAL,
    async handle({ caller, body: { name, content, sender }, database, record }) {
      const { accountId, country } = caller
      checkLabels({ name, sender }, { country, ourNumbers: numbers.ourNumbers })
      const warnings = judgeTemplateSender(sender, caller, numbers)
      return database.begin(async (database) => {
        const template = await insertSmsTemplate(database, { accountId, name, content, sender })
        await record(database, { object: { kind: 'template', id: template.id }, changes: { name: [null, name] } })
        return { ...toSmsTemplateView(template), ...withWarnings(warnings) }
      })
    }
  })
