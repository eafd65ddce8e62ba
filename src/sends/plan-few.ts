import type { Database } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { KEY_IN_USE } from '../http/idempotency.ts'
import type { Caps } from '../limits/caps.ts'
import type { Uses } from '../limits/uses.ts'
import { CONTESTED, refuseOtherPrice } from './accepted.ts'
import { toCapped, unconsentedAmong, withoutDropped } from './marketing.ts'
import type { PlannedRecipient } from './plan.ts'
import type { Outcome, SmallSend } from './small-send.ts'

/** A send whose recipients are planned. */
export interface Planned {
  small: SmallSend
  id: number
  recipients: PlannedRecipient[]
}

export type Outcomes = Map<SmallSend, Outcome>

const NO_PHONES: ReadonlySet<string> = new Set()

/** Decides the recipients of sends that share a transaction. A refused send gets its outcome, and is left out. */
export function planSends(
  sends: readonly SmallSend[],
  {
    ids,
    stopped: stoppedByAccount,
    unconsented: unconsentedBySend,
    uses,
    caps,
    outcomes
  }: {
    ids: readonly number[]
    stopped: Map<number, Set<string>>
    unconsented: ReadonlyMap<SmallSend, ReadonlySet<string>>
    uses: Uses
    caps: Caps
    outcomes: Outcomes
  }
): Planned[] {
  return sends.flatMap((small, index) => {
    if (small.keeping?.key.isFree === false) {
      outcomes.set(small, KEY_IN_USE)
      return []
    }
    try {
      const { send, plan, candidates } = small
      const stopped = stoppedByAccount.get(send.accountId) ?? NO_PHONES
      const unconsented = unconsentedBySend.get(small)
      let capped = NO_PHONES
      const cappedSend = send.cap && toCappedSend(small)
      if (cappedSend) {
        const people = withoutDropped(cappedSend.people, send, { stopped, unconsented })
        // Rare: another send of this transaction, which may be refused, decides about one of these people. It goes first.
        if (caps.isContested({ ...cappedSend, people })) throw CONTESTED
        capped = caps.cappedAmong({ ...cappedSend, people })
      }
      const full = send.limits.length === 0 ? NO_PHONES : fullAmong(small, uses, { stopped, unconsented, capped })
      const recipients = plan.take(candidates, { stopped, unconsented: unconsented ?? NO_PHONES, capped, full })
      plan.refuseIfEmpty()
      refuseOtherPrice(send, plan)
      return [{ small, id: ids[index] as number, recipients }]
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      outcomes.set(small, error)
      return []
    }
  })
}

export function toLimited({ send: { limits }, candidates }: SmallSend) {
  return { limits, phones: candidates.map(({ phone }) => phone) }
}

/** The phones of a send that have had enough messages. */
function fullAmong(
  small: SmallSend,
  uses: Uses,
  dropped: {
    stopped: ReadonlySet<string>
    unconsented: ReadonlySet<string> | undefined
    capped: ReadonlySet<string>
  }
): ReadonlySet<string> {
  const { send, candidates } = small
  const phones = withoutDropped(candidates, send, dropped)
    .map(({ phone }) => phone)
    .filter((phone) => !dropped.capped.has(phone))
  if (uses.isContested(send.limits, phones)) throw CONTESTED
  return uses.fullAmong(send.limits, phones)
}

export function toCappedSend({ send, candidates }: SmallSend) {
  return toCapped(send, candidates)
}

/** By send that asks for it, the people without a consent. */
export async function unconsentedOf(database: Database, sends: readonly SmallSend[]) {
  const found = new Map<SmallSend, ReadonlySet<string>>()
  const asking = sends.filter(({ send }) => send.consent !== 'off')
  await Promise.all(
    asking.map(async (small) => {
      const phones = small.candidates.map(({ phone }) => phone)
      found.set(small, (await unconsentedAmong(database, small.send, phones)) ?? NO_PHONES)
    })
  )
  return found
}
