import type { OurNumbers } from '../compliance/sender.ts'
import { operation } from '../http/operation.ts'
import {
  checkRcsTemplate,
  RcsTemplateInput,
  RcsTemplateView,
  rcsTemplateExample,
  toRcsTemplateView
} from './rcs-template.ts'
import { judgeTemplateSender, SENDER_REFUSAL, withWarnings } from './template.ts'
import { insertRcsTemplate } from './templates.store.ts'

export const createRcsTemplate = (numbers: OurNumbers) =>
  operation({
    route: 'POST /models/rcs',
    id: 'createRcsTemplate',
    tag: 'Modèle',
    permission: 'send',
    summary: 'Create an RCS template',
    description:
      'Keeps a text, a card or a carousel to be sent again, with the SMS to send in its place where RCS can’t be delivered. The limits of the platform are checked now, with variables counting as nothing, and again when they are filled in: a text has up to 3,072 characters and 11 choices; a card up to 200 in its title, 2,000 in its description, and 4 choices; a choice says up to 25. Addresses are http or https, up to 2,048 characters. A picture is fetched by the platform when the message is sent, not now; if it can’t, the message falls back. The sender of the fallback is checked now, by the rules of the account’s country, and again when the template is sent.',
    body: RcsTemplateInput,
    answer: RcsTemplateView,
    example: rcsTemplateExample,
    refusals: SENDER_REFUSAL,
    async handle({ caller, body, database, record }) {
      const template = checkRcsTemplate(body, { ...caller, ourNumbers: numbers.ourNumbers })
      const warnings = judgeTemplateSender(template.fallbackSender, caller, numbers)
      return database.begin(async (database) => {
        const made = await insertRcsTemplate(database, { accountId: caller.accountId, template })
        await record(database, { object: { kind: 'template', id: made.id }, changes: { name: [null, made.name] } })
        return { ...toRcsTemplateView(made), ...withWarnings(warnings) }
      })
    }
  })
