import type { TestContext } from 'node:test'
import type { Carrier } from './carrier.ts'

/* What the table of cases (contract.test.ts) needs of a kind: the file peer.samples.ts of its folder exports startPeer. */

export type StartPeer = (t: TestContext) => Promise<CarrierToTest>

/** A carrier that is up, and the peer at its other end. Both are stopped when the test ends. */
export interface CarrierToTest {
  carrier: Carrier
  peer: Peer
  /** What was handed in about submissions, in its order. */
  reports(): Reported[]
  /** From now on, nothing that is handed in can be stored. */
  failToStore(): void
}

export interface Reported {
  carrier: string
  carrierMessageId: string
  isDelivered: boolean
}

/** The other side, and what it does with a message from now on. */
export interface Peer {
  behave(behaviour: Behaviour): void
  /** How many different messages it got. */
  readonly receivedCount: number
  /** Reports that a message was delivered. True when we answered that this is stored. */
  report(carrierMessageId: string): Promise<boolean>
}

export type Behaviour = 'accept' | 'throttle' | 'refuse' | 'stay silent' | 'close mid-flight' | 'report first'
