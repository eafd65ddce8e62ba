import type { OurNumbers } from '../compliance/sender.ts'
import { notFound } from '../errors.ts'
import { hiddenChanges } from '../http/act.ts'
import { operation } from '../http/operation.ts'
import {
  checkRcsTemplate,
  RcsTemplateChanges,
  RcsTemplateView,
  rcsTemplateExample,
  toRcsTemplateView,
  withChanges
} from './rcs-template.ts'
import { judgeTemplateSender, SENDER_REFUSAL, withWarnings } from './template.ts'
import { lockRcsTemplate, updateRcsTemplate as updateRow } from './templates.store.ts'

export const updateRcsTemplate = (numbers: OurNumbers) =>
  operation({
    route: 'PUT /models/rcs/{id}',
    id: 'updateRcsTemplate',
    tag: 'Modèle',
    permission: 'send',
    summary: 'Update an RCS template',
    description:
      'Changes the fields given and leaves the others; `data`, `fallback` and `shorturl` are replaced as a whole, and null takes the last two away. The template that comes of it is checked as a new one would be: `data` must fit the `type` that is given or was there. Messages that were made from it stay as they are.',
    body: RcsTemplateChanges,
    answer: RcsTemplateView,
    example: { body: { name: 'Collection d’hiver' }, answer: rcsTemplateExample.answer },
    refusals: SENDER_REFUSAL,
    async handle({ caller, params, body, database, record }) {
      const { accountId } = caller
      // Locked: two requests that change type and data at once could otherwise leave a pair that was never checked.
      return database.begin(async (database) => {
        const before = await lockRcsTemplate(database, { accountId, id: params.id })
        if (!before) throw notFound('RCS template')
        const sending = { ...caller, ourNumbers: numbers.ourNumbers }
        const template = { id: before.id, ...checkRcsTemplate(withChanges(before, body), sending) }
        const warnings = judgeTemplateSender(body.fallback?.sender, caller, numbers)
        await updateRow(database, { accountId, template })
        const others = Object.keys(body).filter((name) => name !== 'name')
        await record(database, {
          object: { kind: 'template', id: template.id },
          changes: { name: [before.name, template.name], ...hiddenChanges(others) }
        })
        return { ...toRcsTemplateView(template), ...withWarnings(warnings) }
      })
    }
  })
