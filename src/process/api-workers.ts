import { createAnswerReplies } from '../auto-replies/answer-replies.ts'
import { createRunAutomations } from '../automations/run-automations.ts'
import { createSignal } from '../delivery-role.ts'
import { createAskForConsent } from '../replies/ask-for-consent.ts'
import type { Dependencies } from '../routes.ts'
import { createDepart } from '../sends/depart.ts'
import { createTellLate } from '../sends/tell-late.ts'
import { createRunTrials } from '../trials/run-trials.ts'
import { type RunningWorker, startWorker, UPKEEP_FIRST_PAUSE_MS, type Worker } from '../workers/loop.ts'
import type { SharedParts } from './shared-parts.ts'

const ASK_PAUSE_MS = 1_000
/** How late a scheduled message to segments may find its people, and how late automations and trials may run. */
const DEPART_PAUSE_MS = 2_000

/** The workers of the role `api`: they accept messages as its requests do. */
export function startApiWorkers(
  { config, pool, log, roles }: SharedParts,
  sending: Dependencies['sending']
): RunningWorker[] {
  const defaults = { ...config.limitDefaults, consent: config.consent }
  const onQueued = createSignal(pool, { log, wake: () => roles.delivery?.wake() })
  const parts = { pool, sending, defaults, log }
  const start = (name: string, pauseMs: number, work: Worker['work']) =>
    startWorker({ name, work, pauseMs, firstPauseMs: UPKEEP_FIRST_PAUSE_MS, log })
  return [
    start('answering keywords', ASK_PAUSE_MS, createAskForConsent(parts)),
    start('sending auto-replies', ASK_PAUSE_MS, createAnswerReplies(parts)),
    start('departing to segments', DEPART_PAUSE_MS, createDepart({ ...parts, onQueued })),
    start('running automations', DEPART_PAUSE_MS, createRunAutomations({ ...parts, onQueued })),
    start(
      'telling of late messages',
      DEPART_PAUSE_MS,
      createTellLate({ pool, readPaces: sending.readPaces, defaults, log })
    ),
    start('running trials', DEPART_PAUSE_MS, createRunTrials({ ...parts, onQueued }))
  ]
}
