import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { readFigures } from './choose.ts'
import { TrialView, toTrialView, trialExample } from './trial.ts'
import { findTrial } from './trials.store.ts'

export const readTrial = operation({
  route: 'GET /trials/{id}',
  id: 'readTrial',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Read a trial',
  description: 'Its variants side by side with their figures of now, and the choice with the figures of that moment.',
  answer: TrialView,
  example: { answer: trialExample },
  async handle({ caller: { accountId }, params: { id }, database }) {
    const trial = await findTrial(database, { accountId, id })
    if (!trial) throw notFound('trial')
    return toTrialView(trial, await readFigures(database, trial))
  }
})
