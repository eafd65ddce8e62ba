import { mailAlarms } from '../alarms/mail-alarms.ts'
import { raiseAlarms } from '../alarms/raise-alarms.ts'
import { createMachineWatches, createWatches } from '../alarms/watches.ts'
import type { RequestRates } from '../http/request-rates.ts'
import { mailAlerts } from '../limits/mail-alerts.ts'
import { raiseAlerts, tellNobody } from '../limits/raise-alerts.ts'
import { type RunningWorker, startWorker, UPKEEP_FIRST_PAUSE_MS, type Worker } from '../workers/loop.ts'
import type { SharedParts } from './shared-parts.ts'

const ALERTS_PAUSE_MS = 5_000
const ALARMS_PAUSE_MS = 15_000

/** The workers that tell people of limits that are nearly reached, and of alarms. */
export function startWarnings(
  { config, pool, suspended, carriers, log }: SharedParts,
  { rates }: { rates: RequestRates }
): RunningWorker[] {
  const start = (name: string, pauseMs: number, work: Worker['work']) =>
    startWorker({ name, work, pauseMs, firstPauseMs: UPKEEP_FIRST_PAUSE_MS, log })
  const alertParts = {
    pool,
    defaults: config.limitDefaults,
    reachedRates: rates.reached,
    tell: config.mail ? mailAlerts : tellNobody
  }
  const alert = () => raiseAlerts(alertParts).then(() => ({ isMoreDue: false }))
  const limits = start('warning of limits', ALERTS_PAUSE_MS, alert)
  if (!config.alarms) return [limits]
  const watched = { routing: carriers.routing, suspended, settings: config.alarms }
  const watches = [...createMachineWatches(watched), ...(config.roles.has('api') ? createWatches(watched) : [])]
  const alarmParts = { pool, watches, tell: config.mail ? mailAlarms : tellNobody, log }
  const raise = () => raiseAlarms(alarmParts).then(() => ({ isMoreDue: false }))
  return [limits, start('raising alarms', ALARMS_PAUSE_MS, raise)]
}
