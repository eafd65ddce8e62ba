import { findOperatorId } from '../accounts/accounts.store.ts'
import type { Database, Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import type { NewNotice } from '../notices/notice.ts'
import { insertNotices } from '../notices/notices.store.ts'
import { recordEvents } from '../webhooks/events.store.ts'
import { type Alarm, toAlarmEvent } from './alarm.ts'
import { endForgotten, endUnseen, keepTroubles, raiseLasting, type Seen, takeLook } from './alarms.store.ts'
import { TROUBLES_MAX } from './troubles.store.ts'
import type { Watch } from './watches.ts'

export interface RaiseParts {
  pool: Pool
  watches: readonly Watch[]
  /** Tells people, in the transaction that keeps the alarms. */
  tell(database: Database, alarms: readonly Alarm[]): Promise<void>
  log: Log
}

/** Looks at everything once; tells each trouble once it has lasted, and once when it is over. */
export async function raiseAlarms({ pool, watches, tell, log }: RaiseParts): Promise<void> {
  const operatorId = await findOperatorId(pool)
  if (operatorId === undefined) return
  // Before the transaction: a watch that fails must not cost what the others saw.
  const looks = await Promise.all(watches.map((watch) => lookSafely(pool, { watch, operatorId, log })))
  const seen = looks.filter((look) => look !== undefined)
  await pool.begin(async (database) => {
    if (!(await takeLook(database))) return
    await keepTroubles(
      database,
      seen.flatMap(({ troubles }) => troubles)
    )
    const over: Alarm[] = []
    for (const look of seen) over.push(...(await endUnseen(database, look)))
    await endForgotten(database)
    const raised = await raiseLasting(database)
    const told = [...raised, ...over]
    if (told.length === 0) return
    await recordEvents(
      database,
      told.map((alarm) => ({ accountId: alarm.accountId, type: 'alarms', record: toAlarmEvent(alarm) }))
    )
    await insertNotices(database, raised.map(toNotice))
    await tell(database, told)
    for (const { kind, name, value, overAt } of told) {
      if (overAt) log.info({ alarm: kind, name }, 'alarm is over')
      else log.warn({ alarm: kind, name, value }, 'alarm')
    }
  })
}

/** The page of alarms says when it is over. */
function toNotice({ accountId, kind, name, value, bound }: Alarm): NewNotice {
  return { accountId, kind: 'alarm', subject: kind, name, value, bound }
}

/** Undefined if the watch failed: then nothing that it watches is over. */
async function lookSafely(
  pool: Pool,
  { watch, operatorId, log }: { watch: Watch; operatorId: number; log: Log }
): Promise<Seen | undefined> {
  const { kinds, scope } = watch
  try {
    const troubles = await watch.look(pool, operatorId)
    return { kinds, scope, troubles, isWhole: troubles.length < TROUBLES_MAX }
  } catch (error) {
    log.warn({ kinds, err: error }, 'a watch for alarms failed')
    return undefined
  }
}
