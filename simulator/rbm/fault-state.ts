import type { Socket } from 'node:net'
import { type FaultEffects, FaultRules } from '../faults/rules.ts'
import { TokenBucket } from '../faults/token-bucket.ts'
import { GOOD_RBM_CONDUCT, type RbmConduct } from './conduct.ts'
import { parseRbmFaults, type RbmAction } from './faults.ts'

/** The fault rules of the RBM platform, as they apply now. */
export class RbmFaults extends FaultRules<RbmConduct, RbmAction, Socket> {
  readonly messages: TokenBucket
  readonly batches: TokenBucket

  constructor({ act, onChange }: FaultEffects<RbmConduct, RbmAction, Socket>) {
    const messages = new TokenBucket()
    const batches = new TokenBucket()
    super({
      conduct: GOOD_RBM_CONDUCT,
      good: GOOD_RBM_CONDUCT,
      parse: parseRbmFaults,
      effects: {
        act,
        onChange(change) {
          if (change.messagesPerSecondMax !== undefined) messages.setRate(change.messagesPerSecondMax)
          if (change.batchesPerSecondMax !== undefined) batches.setRate(change.batchesPerSecondMax)
          onChange(change)
        }
      }
    })
    this.messages = messages
    this.batches = batches
  }
}
