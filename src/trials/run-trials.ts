import { findOwnCaller } from '../accounts/callers.ts'
import type { Database } from '../database/database.ts'
import { isFinalRefusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { LaterParts } from '../sends/depart.ts'
import { createTakeDue } from '../workers/take-due.ts'
import { beginTrial } from './begin-trial.ts'
import { choose, hasLeft, readFigures } from './choose.ts'
import { readStoredVariants } from './read-variants.ts'
import type { Trial } from './trial.ts'
import { lockDueTrial, putOffTrial, updateTrialProblem } from './trials.store.ts'
import { judge } from './verdict.ts'

const PUT_OFF_SECONDS = 60

/**
 * Begins scheduled trials, and chooses among the variants of others, when they are due. One transaction locks the trial and does
 * all of it: a crash leaves it due, and two processes, or a process and a person, never do it twice. A beginning that is refused
 * ends the trial; when the message to the rest is refused, a person can choose again. Both say why.
 */
export function createRunTrials({
  pool,
  sending,
  defaults,
  onQueued,
  log
}: LaterParts): () => Promise<{ isMoreDue: boolean }> {
  async function begin(database: Database, trial: Trial, caller: Caller): Promise<void> {
    const variants = await readStoredVariants(database, trial, { caller, sending })
    await beginTrial(database, trial, { variants, sending })
  }

  async function decide(database: Database, trial: Trial, caller: Caller): Promise<void> {
    const figures = await readFigures(database, trial)
    const { best: winner } = judge(figures, trial.decideBy)
    await choose(database, trial, { winner, isByHand: false, figures }, { caller, sending })
  }

  async function run(database: Database, trial: Trial): Promise<void> {
    const { accountId, id } = trial
    const isBeginning = trial.state === 'scheduled'
    const caller = await findOwnCaller(database, accountId, defaults)
    // Of a suspended account it waits.
    if (!caller || (!isBeginning && !(await hasLeft(database, trial)))) return putOff(database, trial)
    try {
      // In a part of its own: a refusal must not undo that it was tried.
      await database.begin((database) => (isBeginning ? begin : decide)(database, trial, caller))
    } catch (error) {
      if (!isFinalRefusal(error)) throw error
      log.warn({ account_id: accountId, trial: id, reason: error.message }, 'a trial was refused')
      await updateTrialProblem(database, trial, { state: isBeginning ? 'failed' : 'testing', problem: error.message })
    }
  }

  const putOff = (database: Database, trial: Trial) => putOffTrial(database, trial, PUT_OFF_SECONDS)
  return createTakeDue({ pool, lock: lockDueTrial, work: run, putOff, onDone: onQueued })
}
