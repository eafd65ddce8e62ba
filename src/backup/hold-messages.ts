import { setNextRun } from '../automations/automations.store.ts'
import { nextTime } from '../automations/schedule.ts'
import type { Pool } from '../database/database.ts'
import { failDeparture } from '../sends/depart.ts'
import { listDueDepartures } from '../sends/departures.store.ts'
import { hold } from '../sends/pause.ts'
import { listOverdueAutomations, listUnfinished } from './check.store.ts'

export interface Held {
  messages: number
  departures: number
  automations: number
}

const MAY_HAVE_LEFT =
  'The service was restored from a backup, and this message may have left since. Send it again if not.'

/**
 * Lets nothing leave that may have left after the backup was taken. Messages are paused: people resume or cancel each. A
 * message that was to find its recipients fails, with the reason. Automations wait for their next time.
 */
export async function holdMessages(pool: Pool): Promise<Held> {
  const messages = await listUnfinished(pool)
  for (const key of messages) await pool.begin((database) => hold(database, key))
  const departures = await listDueDepartures(pool)
  for (const departure of departures) {
    await pool.begin((database) => failDeparture(database, departure, MAY_HAVE_LEFT))
  }
  const automations = await listOverdueAutomations(pool)
  for (const automation of automations) {
    const nextAt = nextTime(automation.schedule, automation.timeZone, new Date()) ?? null
    await setNextRun(pool, automation, { nextAt, hasRun: false })
  }
  return { messages: messages.length, departures: departures.length, automations: automations.length }
}
