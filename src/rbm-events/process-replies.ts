import type { EventNames } from '../carriers/kind.ts'
import type { PostedEvent } from '../carriers/posted-event.ts'
import { isDatabaseUnavailable } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { openConversation } from '../rcs-conversations/open-conversation.ts'
import { optOutBySender } from '../replies/opt-out.ts'
import { storeReply } from '../replies/record-reply.ts'
import { type DueEvent, listInbound, lockDue, updateToDone, updateToRetry } from './rbm-events.store.ts'
import type { RbmEventsParts } from './rbm-events.ts'
import { createNames, readKeptEvent } from './read-events.ts'
import { RETRY_SECONDS } from './retries.ts'

const BATCH = 100
/** Not more at once than leaves connections for sending. */
const AT_ONCE = 3
const TRIES_MAX = 4
/** A reply is never given up: the cause of a failure may be mended meanwhile. */
const LAST_RETRY_SECONDS = 3_600

/** Stores due replies, and opts out people who unsubscribed. */
export async function processReplies(parts: RbmEventsParts): Promise<{ isMoreDue: boolean }> {
  const { pool, routing } = parts
  const due = (await listInbound(pool, BATCH)).map((one) => ({ ...one, event: readKeptEvent(routing, one) }))
  if (due.length === 0) return { isMoreDue: false }
  const names = await createNames(pool, routing)
  // The replies of one person stay in the order in which they were written: of a START and a STOP, the last one counts.
  const people = [...Map.groupBy(due, ({ event }) => event.phone).values()].map((own) => own.toSorted(compareTimes))
  let doneCount = 0
  async function work(): Promise<void> {
    for (let next = people.shift(); next; next = people.shift()) {
      for (const one of next) {
        // What the person wrote after a reply that another process works on waits for the next turn.
        if (!(await processOne(parts, one, names))) break
        doneCount++
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { isMoreDue: due.length === BATCH && doneCount > 0 }
}

/** By the time of the platform: after an outage of ours, events come together and in any order. */
function compareTimes({ event: one }: Inbound, { event: other }: Inbound): number {
  return one.at.getTime() - other.at.getTime()
}

interface Inbound extends DueEvent {
  event: PostedEvent
}

/**
 * One transaction stores the reply and marks the event as done: a reply can be neither lost nor doubled. False when another
 * process works on the event, or has just done so.
 */
async function processOne(
  { pool, routing, log }: RbmEventsParts,
  inbound: Inbound,
  names: EventNames
): Promise<boolean> {
  const { carrier, eventId, tries, event } = inbound
  const writingAs = (name: string) => routing.carriersWritingAs(name)
  const message = { carrier, from: event.phone, to: names.agentOf(carrier, event), channel: 'rcs' } as const
  try {
    return await retryBusy(TRIES_MAX, () =>
      pool.begin(async (database) => {
        if (!(await lockDue(database, inbound))) return false
        if (event.kind === 'reply') {
          const { text, isTap } = event
          const reply = await storeReply(database, { ...message, text, isTap }, writingAs)
          await openConversation(database, reply, routing.prices)
        } else if (event.kind === 'unsubscribe') await optOutBySender(database, message, writingAs)
        await updateToDone(database, [inbound])
        return true
      })
    )
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    log.error({ carrier, event_id: eventId, err: error }, 'an RCS reply could not be stored; it is tried again')
    const nextTrySeconds = RETRY_SECONDS[tries] ?? LAST_RETRY_SECONDS
    await updateToRetry(pool, [{ carrier, eventId, nextTrySeconds }])
    // Others do not wait for it: it may fail for hours.
    return true
  }
}
