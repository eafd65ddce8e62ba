import { findOwnCaller } from '../accounts/callers.ts'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { isFinalRefusal, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { toAudience } from '../sends/accept-later.ts'
import { type LaterParts, readStoredSend } from '../sends/depart.ts'
import type { RecipientSource } from '../sends/recipient-source.ts'
import { withPace } from '../sends/spread.ts'
import { storeMany } from '../sends/store-many.ts'
import { createTakeDue } from '../workers/take-due.ts'
import type { Automation } from './automation.ts'
import { insertReached, listReached } from './automation-people.store.ts'
import { insertRun, lockDueAutomation, putOffAutomation, setNextRun } from './automations.store.ts'
import { lastTime, nextTime } from './schedule.ts'

const PUT_OFF_SECONDS = 60

/**
 * Runs automations that are due. One transaction locks the automation, finds the people, stores the message, takes the credits
 * and sets the next time: a crash leaves it due, and two processes never run it twice. One run makes up for all times that
 * passed while no process ran. A run that is refused says why in the history, and the next one comes at its time.
 */
export function createRunAutomations({
  pool,
  sending,
  defaults,
  onQueued,
  log
}: LaterParts): () => Promise<{ isMoreDue: boolean }> {
  /** The id of the message; undefined if nobody fits. */
  async function send(
    database: Database,
    automation: Automation,
    { caller, now }: { caller: Caller; now: Date }
  ): Promise<number | undefined> {
    const { request, contactlist, segmentIds } = automation
    const send = await readStoredSend(database, request, { caller, author: undefined, ...sending })
    const audience = {
      contactlist: contactlist.length > 0 ? contactlist : undefined,
      segments: segmentIds.length > 0 ? segmentIds : undefined
    }
    // A late run is for the day of its time: else the next run could be for the same day, and write to the same people.
    const time = lastTime(automation.schedule, caller.timeZone, now) ?? now
    const everybody = toAudience(sending, audience, { ...send, now: time })
    const { source, isAnybody } = watch(automation.isOnce ? once(everybody, automation) : everybody)
    try {
      const paced = await withPace(database, send, source)
      return (await storeMany(database, paced, source, sending.routing, { isExact: true })).message_id
    } catch (error) {
      if (error instanceof Refusal && error.code === 'invalid_input' && !isAnybody()) return undefined
      throw error
    }
  }

  async function run(database: Database, automation: Automation & { nextAt: Date }): Promise<void> {
    const { accountId, nextAt: dueAt } = automation
    const caller = await findOwnCaller(database, accountId, defaults)
    // Of a suspended account it waits.
    if (!caller) return putOff(database, automation)
    // The database found it due. A clock of this process that is behind would find the same time again, and run twice.
    const now = new Date(Math.max(databaseNow().getTime(), dueAt.getTime()))
    const nextAt = nextTime(automation.schedule, caller.timeZone, now) ?? null
    await setNextRun(database, automation, { nextAt, hasRun: true })
    try {
      // In a part of its own: a refusal must not undo that it has run.
      const messageId = await database.begin((database) => send(database, automation, { caller, now }))
      if (messageId !== undefined) await insertRun(database, automation, { dueAt, messageId, problem: null })
    } catch (error) {
      if (!isFinalRefusal(error)) throw error
      const { id, name } = automation
      log.warn({ account_id: accountId, automation: id, name, reason: error.message }, 'an automation was refused')
      await insertRun(database, automation, { dueAt, messageId: null, problem: error.message })
    }
  }

  const putOff = (database: Database, automation: Automation) => putOffAutomation(database, automation, PUT_OFF_SECONDS)
  return createTakeDue({ pool, lock: lockDueAutomation, work: run, putOff, onDone: onQueued })
}

/** Without those whom the automation has written to; its new recipients are noted with the message. */
function once(source: RecipientSource, automation: Automation): RecipientSource {
  return {
    ...source,
    async *read(database) {
      for await (const piece of source.read(database)) {
        const reached = await listReached(
          database,
          automation,
          piece.map(({ number }) => number)
        )
        yield reached.size === 0 ? piece : piece.filter(({ number }) => !reached.has(number))
      }
    },
    async onStored(database, messageId) {
      await source.onStored?.(database, messageId)
      await insertReached(database, automation, messageId)
    }
  }
}

/** The same source, which can tell whether it had anybody. */
function watch(source: RecipientSource): { source: RecipientSource; isAnybody(): boolean } {
  let count = 0
  return {
    source: {
      ...source,
      async *read(database) {
        for await (const piece of source.read(database)) {
          count += piece.length
          yield piece
        }
      }
    },
    isAnybody: () => count > 0
  }
}
