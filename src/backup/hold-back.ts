import { endWaitingAnswers } from '../auto-replies/answers.store.ts'
import { setNextRun, turnOff } from '../automations/automations.store.ts'
import { nextTime } from '../automations/schedule.ts'
import { deleteWaitingReports } from '../callbacks/callbacks.store.ts'
import type { Pool } from '../database/database.ts'
import { skipIds } from '../database/skip-ids.ts'
import { deleteWaitingMails } from '../mail/mails.store.ts'
import { endDueRequests } from '../replies/consent-requests.store.ts'
import { failDeparture } from '../sends/depart.ts'
import { listDueDepartures } from '../sends/departures.store.ts'
import { hold } from '../sends/pause.ts'
import { deleteWaitingDeliveries } from '../smpp-outbox/outbox.store.ts'
import { deleteWaitingParts } from '../smpp-server/parts.store.ts'
import { listUnsureTrials, updateTrialProblem } from '../trials/trials.store.ts'
import { listOverdueAutomations, listUnfinished } from './check.store.ts'

/** What is held back, and how many of each. */
export interface Held {
  /** Paused. */
  messages: number
  /** Messages to segments that failed before they found their people. */
  departures: number
  /** Automations that wait for their next time, and those that are off: they forgot whom they wrote to. */
  automations: number
  automationsOff: number
  /** Trials that failed before they began, and trials in which a person must choose. */
  trialsFailed: number
  trialsToChoose: number
  /** Answers of auto-replies, and questions and thanks of keywords, that are not sent. */
  answers: number
  questions: number
  /** What nobody is told: mails, callbacks of doors, receipts and replies for binds. */
  mails: number
  callbacks: number
  deliveries: number
  /** Parts of long messages that customers submitted by SMPP, and that waited for the others. */
  parts: number
}

export interface HoldOptions {
  /** Also what leaves later: it may have been cancelled or replaced since. */
  isHoldingScheduled: boolean
}

const RESTORED = 'The service was restored from a backup, and'
const MAY_HAVE_LEFT = `${RESTORED} this message may have left since. Send it again if not.`
const MAY_HAVE_BEGUN = `${RESTORED} this trial may have begun since. Make it again if not.`
const MAY_BE_CHOSEN = `${RESTORED} a variant may have been sent to the rest since. Choose one if not.`
const MAY_BE_ANSWERED = `${RESTORED} this answer may have been sent since.`

/**
 * Lets nothing leave that may have left after the backup was taken, and gives no id that may have been given since: carriers and
 * receivers of webhooks know messages and events by them, and drop repeats. No process may run on this database meanwhile.
 */
export async function holdBack(pool: Pool, { isHoldingScheduled }: HoldOptions): Promise<Held> {
  // First: what is held back is told by events, which have ids.
  await skipIds(pool)
  const messages = await listUnfinished(pool, { isAll: isHoldingScheduled })
  for (const key of messages) await pool.begin((database) => hold(database, key))
  const departures = await listDueDepartures(pool)
  for (const departure of departures) {
    await pool.begin((database) => failDeparture(database, departure, MAY_HAVE_LEFT))
  }
  return {
    messages: messages.length,
    departures: departures.length,
    ...(await holdAutomations(pool)),
    ...(await holdTrials(pool, { isAll: isHoldingScheduled })),
    answers: await endWaitingAnswers(pool, MAY_BE_ANSWERED),
    questions: await endDueRequests(pool),
    mails: await deleteWaitingMails(pool),
    callbacks: await deleteWaitingReports(pool),
    deliveries: await deleteWaitingDeliveries(pool),
    parts: await deleteWaitingParts(pool)
  }
}

async function holdAutomations(pool: Pool): Promise<Pick<Held, 'automations' | 'automationsOff'>> {
  const overdue = await listOverdueAutomations(pool)
  for (const automation of overdue) {
    if (automation.isOnce) {
      await turnOff(pool, automation)
      continue
    }
    const nextAt = nextTime(automation.schedule, automation.timeZone, new Date()) ?? null
    await setNextRun(pool, automation, { nextAt, hasRun: false })
  }
  const automationsOff = overdue.filter(({ isOnce }) => isOnce).length
  return { automations: overdue.length - automationsOff, automationsOff }
}

async function holdTrials(
  pool: Pool,
  which: { isAll: boolean }
): Promise<Pick<Held, 'trialsFailed' | 'trialsToChoose'>> {
  const trials = await listUnsureTrials(pool, which)
  for (const trial of trials) {
    const end =
      trial.state === 'scheduled'
        ? ({ state: 'failed', problem: MAY_HAVE_BEGUN } as const)
        : ({ state: 'testing', problem: MAY_BE_CHOSEN } as const)
    await updateTrialProblem(pool, trial, end)
  }
  const trialsFailed = trials.filter(({ state }) => state === 'scheduled').length
  return { trialsFailed, trialsToChoose: trials.length - trialsFailed }
}

const HELD_WORDS: Record<keyof Held, string> = {
  messages: 'messages are paused',
  departures: 'messages to segments have failed',
  automations: 'automations wait for their next time',
  automationsOff: 'automations that write once to each person are off',
  trialsFailed: 'trials have failed',
  trialsToChoose: 'trials wait for a person to choose',
  answers: 'answers of auto-replies are not sent',
  questions: 'questions and thanks of keywords are not sent',
  mails: 'mails are not sent',
  callbacks: 'callbacks of doors are not made',
  deliveries: 'receipts and replies are not delivered by SMPP',
  parts: 'parts of messages from SMPP are dropped'
}

/** For the person who restores: a line for each kind of which something is held. */
export function describeHeld(held: Held): string {
  const lines = (Object.keys(HELD_WORDS) as (keyof Held)[])
    .filter((kind) => held[kind] > 0)
    .map((kind) => `  ${held[kind]} ${HELD_WORDS[kind]}\n`)
  if (lines.length === 0) return 'Nothing had to be held back.\n'
  return `So that nothing is sent twice:\n${lines.join('')}See "After a restore" in docs/data-keeping.md.\n`
}
