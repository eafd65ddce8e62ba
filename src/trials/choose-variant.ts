import Type from 'typebox'
import { invalidInput, notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import type { LaterSending } from '../sends/depart.ts'
import { choose, readFigures } from './choose.ts'
import { labelsOf, TRIAL_REFUSALS, type Trial, TrialView, toTrialView, trialExample } from './trial.ts'
import { findTrial } from './trials.store.ts'
import { type Figures, judge } from './verdict.ts'

export const chooseVariant = (sending: LaterSending) =>
  operation({
    route: 'PUT /trials/{id}/choose',
    id: 'chooseVariant',
    tag: 'Beyond',
    permission: 'send',
    summary: 'Choose a variant of a trial',
    description:
      'Sends a variant to the rest now, before the time or in place of the figures. Also tries again what was refused, such as for lack of credits. A trial is decided once.',
    body: Type.Object(
      {
        variant: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 15,
            description: 'The label of the variant. Default: the best by the figures of now, unless a person decides.'
          })
        )
      },
      { $id: 'TrialChoiceDto' }
    ),
    isLongWork: true,
    answer: TrialView,
    example: { body: { variant: 'B' }, answer: trialExample },
    refusals: {
      ...TRIAL_REFUSALS,
      not_found: 'There is no such trial.',
      state_conflict: 'It has not begun, is decided already, was cancelled, or the Idempotency-Key is in use.'
    },
    handle: ({ caller, params: { id }, body: { variant }, database, record }) =>
      database.begin(async (database) => {
        const trial = await findTrial(database, { accountId: caller.accountId, id }, { isLocked: true })
        if (!trial) throw notFound('trial')
        if (trial.state !== 'testing') throw notTesting(trial)
        const figures = await readFigures(database, trial)
        const winner = readWinner(trial, variant, figures)
        const isByHand = variant !== undefined
        const chosen = await choose(database, trial, { winner, isByHand, figures }, { caller, sending })
        const label = labelsOf(trial)[winner] ?? ''
        await record(database, { object: { kind: 'trial', id }, changes: { winner: [null, label] } })
        return toTrialView(chosen, figures)
      })
  })

function readWinner(trial: Trial, label: string | undefined, figures: readonly Figures[]): number {
  const labels = labelsOf(trial)
  const named = `one of ${labels.join(', ')}`
  if (label === undefined && trial.decideBy === 'hand') {
    throw invalidInput([{ path: 'variant', message: `is missing: it must be ${named}` }])
  }
  if (label === undefined) return judge(figures, trial.decideBy).best
  const winner = labels.indexOf(label)
  if (winner === -1) throw invalidInput([{ path: 'variant', message: `must be ${named}` }])
  return winner
}

const STATES: Record<Exclude<Trial['state'], 'testing'>, string> = {
  scheduled: 'has not begun',
  chosen: 'is decided already',
  cancelled: 'was cancelled',
  failed: 'could not begin'
}

function notTesting({ state }: Trial): Refusal {
  return new Refusal(409, 'state_conflict', `The trial ${state === 'testing' ? 'is testing' : STATES[state]}.`)
}
