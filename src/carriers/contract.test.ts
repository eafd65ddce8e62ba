import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { databaseNow } from '../database/clock.ts'
import type { OutboundMessage, SubmitOutcome } from './carrier.ts'
import type { CarrierToTest, StartPeer } from './contract.samples.ts'
import type { CarrierKind } from './kind.ts'
import { CARRIER_KINDS } from './kinds.ts'
import { startPeer as startToyPeer, toy } from './toy.samples.ts'

/*
 * What every kind of carrier promises, whatever it speaks. The table runs over the kinds of kinds.ts: the folder of each has
 * a file peer.samples.ts. A new kind is done when it passes.
 */

interface Case {
  promise: string
  run(toTest: CarrierToTest & Expected): Promise<void>
}

interface Expected {
  /** How a refusal for good ends: an RCS that can't arrive falls back. */
  refused: 'rejected' | 'unreachable'
  /** How a message ends that the peer may have or not. A doubt is never taken for a retry where the phone would get it twice. */
  unanswered: 'in-doubt' | 'retry'
}

const CASES: Case[] = [
  {
    promise: 'what the peer takes is accepted, with an id',
    async run({ carrier, peer }) {
      assert.ok(carrier.capacity > 0 && carrier.status().isUp)
      const [id] = acceptedIds(await carrier.submit(toMessage()))
      assert.ok(id)
      assert.equal(peer.receivedCount, 1)
    }
  },
  {
    promise: 'a peer that is too busy is a retry, with a delay, and the next message may pass',
    async run({ carrier, peer }) {
      peer.behave('throttle')
      const outcome = await carrier.submit(toMessage())
      assert.ok(outcome.kind === 'retry' && outcome.delaySeconds > 0 && outcome.reason !== '')
      peer.behave('accept')
      acceptedIds(await carrier.submit(toMessage()))
    }
  },
  {
    promise: 'a refusal is final and says why',
    async run({ carrier, peer, refused }) {
      peer.behave('refuse')
      const outcome = await carrier.submit(toMessage())
      assert.equal(outcome.kind, refused)
      assert.ok('reason' in outcome && outcome.reason !== '')
      if (outcome.kind === 'rejected') assert.deepEqual(outcome.carrierMessageIds, [])
    }
  },
  {
    promise: 'a silent peer leaves a doubt, in time, unless a repeat comes once',
    async run({ carrier, peer, unanswered }) {
      peer.behave('stay silent')
      const message = toMessage()
      assert.equal((await carrier.submit(message)).kind, unanswered)
      assert.equal(peer.receivedCount, 1)
      if (unanswered === 'in-doubt') return
      peer.behave('accept')
      acceptedIds(await carrier.submit(message))
      assert.equal(peer.receivedCount, 1)
    }
  },
  {
    promise:
      'a connection that closes mid-flight leaves a doubt, unless a repeat comes once, and the next message passes',
    async run({ carrier, peer, unanswered }) {
      peer.behave('close mid-flight')
      assert.equal((await carrier.submit(toMessage())).kind, unanswered)
      assert.equal(peer.receivedCount, 1)
      peer.behave('accept')
      await eventually(async () => acceptedIds(await carrier.submit(toMessage())))
    }
  },
  {
    promise: 'a message whose time is over does not leave',
    async run({ carrier, peer }) {
      assert.deepEqual(await carrier.submit(toMessage({ expiresAt: databaseNow() })), { kind: 'expired' })
      assert.equal(peer.receivedCount, 0)
    }
  },
  {
    promise: 'a report that comes twice is handed in twice, and answered each time',
    async run({ carrier, peer, reports }) {
      const [carrierMessageId = ''] = acceptedIds(await carrier.submit(toMessage()))
      assert.equal(await peer.report(carrierMessageId), true)
      assert.equal(await peer.report(carrierMessageId), true)
      const reported = { carrier: carrier.name, carrierMessageId, isDelivered: true }
      assert.deepEqual(reports(), [reported, reported])
    }
  },
  {
    promise: 'a report before the response is handed in, and names the id that the response brings',
    async run({ carrier, reports, peer }) {
      peer.behave('report first')
      const outcome = carrier.submit(toMessage())
      await eventually(() => assert.equal(reports().length, 1))
      const [id] = acceptedIds(await outcome)
      assert.equal(reports()[0]?.carrierMessageId, id)
    }
  },
  {
    promise: 'a report that was not stored is not answered as if it were',
    async run({ peer, failToStore }) {
      failToStore()
      assert.equal(await peer.report('any'), false)
    }
  },
  {
    promise: 'once stopped it takes nothing, and stopping twice is stopping once',
    async run({ carrier, peer }) {
      await Promise.all([carrier.stop(), carrier.stop()])
      assert.equal(carrier.capacity, 0)
      assert.equal((await carrier.submit(toMessage())).kind, 'retry')
      assert.equal(peer.receivedCount, 0)
    }
  }
]

for (const kind of CARRIER_KINDS) {
  const { startPeer }: { startPeer: StartPeer } = await import(`./${kind.name}/peer.samples.ts`)
  testKind(kind, startPeer)
}
testKind(toy, startToyPeer)

function testKind({ name, channels, abilities }: CarrierKind, startPeer: StartPeer): void {
  const expected: Expected = {
    refused: channels.includes('rcs') ? 'unreachable' : 'rejected',
    unanswered: abilities.repeatableSubmits ? 'retry' : 'in-doubt'
  }
  for (const { promise, run } of CASES) {
    test(`${name}: ${promise}`, async (t) => await run({ ...(await startPeer(t)), ...expected }))
  }
  test(`${name}: its carriers can do what it says`, async (t) => {
    const { carrier } = await startPeer(t)
    const status = carrier.status()
    assert.deepEqual(
      { revoking: 'revoke' in carrier, capabilityChecks: 'findCapable' in carrier, binds: status.binds.length > 0 },
      { revoking: abilities.revoking, capabilityChecks: abilities.capabilityChecks, binds: abilities.binds }
    )
    assert.equal(status.traffic === undefined, abilities.binds, 'what has no binds tells how it does by itself')
    // Of an RCS nothing may be in doubt: its fallback would come on top of it.
    assert.ok(abilities.repeatableSubmits || !channels.includes('rcs'))
  })
}

/** With a text for SMS and something to show for RCS. */
function toMessage(fields: Partial<OutboundMessage> = {}): OutboundMessage {
  const expiresAt = new Date(Date.now() + 3_600_000)
  const rcs = { type: 'text', data: { text: 'Bonjour' } } as const
  return { reference: reference++, from: 'CHAPPE', to: '+33612345678', text: 'Bonjour', rcs, expiresAt, ...fields }
}

let reference = 1

function acceptedIds(outcome: SubmitOutcome): string[] {
  assert.equal(outcome.kind, 'accepted')
  return outcome.kind === 'accepted' ? outcome.carrierMessageIds : []
}
