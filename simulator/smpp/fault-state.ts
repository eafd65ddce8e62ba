import { type FaultEffects, FaultRules } from '../faults/rules.ts'
import { TokenBucket } from '../faults/token-bucket.ts'
import { type Conduct, GOOD_CONDUCT } from './conduct.ts'
import { type LinkAction, parseFaults } from './faults.ts'
import type { SmscSession } from './smsc-session.ts'

/** The fault rules of the SMPP carrier, as they apply now. */
export class FaultState extends FaultRules<Conduct, LinkAction, SmscSession> {
  readonly #submits: TokenBucket

  constructor(
    given: Partial<Omit<Conduct, 'nextId'>>,
    { act, onChange }: FaultEffects<Conduct, LinkAction, SmscSession>
  ) {
    const submits = new TokenBucket()
    const good = { ...GOOD_CONDUCT, ...given }
    super({
      conduct: { ...good, nextId: 0 },
      good,
      parse: parseFaults,
      effects: {
        act,
        onChange(change) {
          if (change.submitsPerSecondMax !== undefined) {
            submits.setRate(change.submitsPerSecondMax, { isByTheSecond: change.isRateByTheSecond ?? false })
          }
          onChange(change)
        }
      }
    })
    this.#submits = submits
  }

  takeToken(): boolean {
    if (this.conduct.throttledShare > 0 && Math.random() < this.conduct.throttledShare) return false
    return this.#submits.take()
  }
}
