import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { BALANCE_TOO_SMALL } from '../credits/purse.ts'
import { type Database, type Pool, violatedConstraint } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import { Refusal } from '../errors.ts'
import { CAPPED_MEANWHILE } from '../limits/caps.store.ts'
import { ReachedLimits } from '../limits/reached-limits.ts'
import { USED_UP_MEANWHILE } from '../limits/uses.store.ts'
import { UNREAD_DAY } from '../limits/uses.ts'
import type { Channel } from '../messages/message.ts'
import type { Seats } from '../queue/seat.ts'
import { isTracing } from '../traces/tracer.ts'
import { type Accepted, CONTESTED, PAYER_CHANGED } from './accepted.ts'
import { Plan } from './plan.ts'
import type { RecipientSource } from './recipient-source.ts'
import type { Routing } from './routing.ts'
import type { Send } from './send.ts'
import type { Keeping, Outcome, SmallSend } from './small-send.ts'
import { type StoreOptions, storeTogether } from './store-few.ts'
import { storeMany } from './store-many.ts'
import { traceAcceptance } from './trace-acceptance.ts'

/*
 * Accepting a send: one transaction stores credits, message, recipients and batches, or nothing. There are two ways to
 * store, after the same plan. Sends of few recipients that arrive together share a transaction; a refused send does not
 * affect the others. A send of many recipients is a stream, in a transaction of its own.
 */

/** Up to so many recipients, a send shares a transaction. A larger send would delay the others in it. */
export const FEW_MAX = 50
const GROUP_LIMITS = { sizeMax: 200, runningMax: 2, spacingMs: 8 }
/** For two channels: neither channel waits for the other. */
export const GROUP_CONNECTIONS = 2 * GROUP_LIMITS.runningMax

/**
 * The violated constraint when the code of a short link is in use already, by chance. Nothing was stored, so the send
 * is repeated with other codes. With a thousand million links in use, this happens to one in 800 messages of a million
 * recipients.
 */
const CODE_IS_TAKEN = 'short_links_pkey'
const TRIES_MAX = 3
/** The violated constraints when others spent credits, or used up a limit, since they were read. */
const SPENT_MEANWHILE = [BALANCE_TOO_SMALL, ...USED_UP_MEANWHILE]
/**
 * Two sends of few recipients may claim one external id. The second waits for the first, outside of any transaction.
 * The first ends within milliseconds, and leaves the id free if it is refused.
 */
const CONTESTED_PAUSE_MS = 25
const CONTESTED_TRIES_MAX = 120

/** With locks, nobody else can reach the same people meanwhile. */
function capsBusy(): Refusal {
  const sentence = 'Other marketing is being accepted for the same people; ask again.'
  return new Refusal(503, 'unavailable', sentence, { retryAfterSeconds: 1 })
}

export type Accept = ReturnType<typeof createAccept>

export interface AcceptParts {
  groupPool: Pool
  routing: Routing
  /** The carriers of this process; undefined while it delivers nothing. */
  seats?: () => Seats | undefined
  /** Called when a batch may be due. */
  onQueued?: () => void
}

/** Shared transactions run on a few connections of their own, beside those of the operations: always available. */
export function createAccept({ groupPool, routing, seats = () => undefined, onQueued = () => undefined }: AcceptParts) {
  const reached = new ReachedLimits()
  const store = async (database: Database, sends: readonly SmallSend[], options: Omit<StoreOptions, 'reached'>) => {
    const { outcomes, isAnyQueued } = await storeTogether(database, sends, { ...options, reached })
    if (isAnyQueued) database.afterCommit(onQueued)
    return outcomes
  }
  const group = ({ isExact }: { isExact: boolean }) =>
    groupCalls<SmallSend, Outcome>((sends) => store(groupPool, sends, { isExact, seats: seats() }), GROUP_LIMITS)
  // Sends are grouped by channel: a transaction then takes credits of one type, and locks balances in one order.
  const byChannel = (options: { isExact: boolean }): Record<Channel, ReturnType<typeof group>> => {
    return { sms: group(options), rcs: group(options) }
  }
  const [acceptTogether, acceptExactly] = [byChannel({ isExact: false }), byChannel({ isExact: true })]

  /**
   * Accepts a send: in the given transaction, or in one of its own if it is given the pool. With `keeping`, the send is
   * of few recipients, and its answer is stored in the same transaction.
   */
  return function accept(
    database: Database,
    send: Send,
    source: RecipientSource,
    keeping?: Keeping
  ): Promise<Accepted> {
    return isTracing()
      ? traceAcceptance(send, (send) => acceptRepeatedly(database, send, source, keeping))
      : acceptRepeatedly(database, send, source, keeping)
  }

  async function acceptRepeatedly(
    database: Database,
    send: Send,
    source: RecipientSource,
    keeping: Keeping | undefined
  ): Promise<Accepted> {
    let isExact = false
    for (let tries = 1; ; tries++) {
      try {
        return await acceptOnce(database, send, source, { isExact, keeping })
      } catch (error) {
        const isOtherPayer = error === PAYER_CHANGED && tries < TRIES_MAX && !database.isTransaction
        const isContested = error === CONTESTED && tries < CONTESTED_TRIES_MAX
        const isCodeTaken = violatedConstraint(error) === CODE_IS_TAKEN && tries < TRIES_MAX
        const isSpentMeanwhile =
          !isExact && (error === UNREAD_DAY || SPENT_MEANWHILE.includes(violatedConstraint(error)))
        const isCapped = violatedConstraint(error) === CAPPED_MEANWHILE
        const isCappedMeanwhile = isCapped && !isExact
        const isRepeated = isOtherPayer || isContested || isCodeTaken || isSpentMeanwhile || isCappedMeanwhile
        if (!isRepeated) throw isCapped ? capsBusy() : error
        if (isOtherPayer) await routing.prices.refresh()
        if (isSpentMeanwhile || isCappedMeanwhile) isExact = true
        if (isContested) await sleep(CONTESTED_PAUSE_MS)
      }
    }
  }

  async function acceptOnce(
    database: Database,
    send: Send,
    source: RecipientSource,
    { isExact, keeping }: { isExact: boolean; keeping: Keeping | undefined }
  ): Promise<Accepted> {
    assert(!keeping || (source.few && !database.isTransaction))
    if (!source.few) {
      return database.begin((database) => {
        database.afterCommit(onQueued)
        return storeMany(database, send, source, routing, { isExact })
      })
    }
    const plan = new Plan(send, routing, source.path)
    const small = { send, plan, candidates: plan.sift(source.few), keeping }
    const outcome = database.isTransaction
      ? (await store(database, [small], { isExact: true, seats: undefined }))[0]
      : await (isExact ? acceptExactly : acceptTogether)[send.channel](small)
    assert(outcome)
    if (outcome instanceof Refusal) throw outcome
    return outcome
  }
}
