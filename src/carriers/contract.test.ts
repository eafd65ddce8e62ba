import { strict as assert } from 'node:assert'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import type { Carrier, SubmitOutcome } from './carrier.ts'
import { type RecordedEvents, startPair, toMessage } from './smpp/carrier.samples.ts'
import { STATUSES, type StatusName } from './smpp/commands.ts'

/* What every carrier promises, whatever it speaks. A new one is done when it passes: add it to the list. */

interface CarrierToTest {
  carrier: Carrier
  events: RecordedEvents
  peer: Peer
}

/** The other side, and what it does with a message from now on. */
interface Peer {
  behave(behaviour: 'accept' | 'throttle' | 'refuse' | 'stay silent' | 'close mid-flight' | 'receipt first'): void
  /** How often it got a message. */
  readonly receivedCount: number
  /** Says that a message was delivered. Tells whether it was told that we have stored that. */
  sendReceipt(carrierMessageId: string): Promise<boolean>
}

interface Case {
  promise: string
  /** What may never happen is a doubt that is taken for a retry: the phone would get it twice. */
  run(toTest: CarrierToTest): Promise<void>
}

const CARRIERS: Record<string, (t: TestContext) => Promise<CarrierToTest>> = { smpp: startSmpp }

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
    async run({ carrier, peer }) {
      peer.behave('refuse')
      const outcome = await carrier.submit(toMessage())
      assert.ok(outcome.kind === 'rejected' && outcome.reason !== '')
      assert.deepEqual(outcome.carrierMessageIds, [])
    }
  },
  {
    promise: 'a silent peer leaves a doubt, in time, and the message is not sent again',
    async run({ carrier, peer }) {
      peer.behave('stay silent')
      assert.equal((await carrier.submit(toMessage())).kind, 'in-doubt')
      assert.equal(peer.receivedCount, 1)
    }
  },
  {
    promise: 'a connection that closes mid-flight leaves a doubt, and the next message passes',
    async run({ carrier, peer }) {
      peer.behave('close mid-flight')
      assert.equal((await carrier.submit(toMessage())).kind, 'in-doubt')
      assert.equal(peer.receivedCount, 1)
      peer.behave('accept')
      await eventually(async () => acceptedIds(await carrier.submit(toMessage())))
    }
  },
  {
    promise: 'a message whose time is over does not leave',
    async run({ carrier, peer }) {
      assert.deepEqual(await carrier.submit(toMessage({ expiresAt: new Date() })), { kind: 'expired' })
      assert.equal(peer.receivedCount, 0)
    }
  },
  {
    promise: 'a receipt that comes twice is handed on twice, and answered each time',
    async run({ carrier, events, peer }) {
      const [id = ''] = acceptedIds(await carrier.submit(toMessage()))
      assert.equal(await peer.sendReceipt(id), true)
      assert.equal(await peer.sendReceipt(id), true)
      assert.deepEqual(
        events.receipts.map(({ carrier, carrierMessageId, state }) => [carrier, carrierMessageId, state]),
        [
          [carrier.name, id, 'delivered'],
          [carrier.name, id, 'delivered']
        ]
      )
    }
  },
  {
    promise: 'a receipt before the response is handed on, and names the id that the response brings',
    async run({ carrier, events, peer }) {
      peer.behave('receipt first')
      const outcome = carrier.submit(toMessage())
      await eventually(() => assert.equal(events.receipts.length, 1))
      const [id] = acceptedIds(await outcome)
      assert.equal(events.receipts[0]?.carrierMessageId, id)
    }
  },
  {
    promise: 'a receipt that was not stored is not answered as if it were',
    async run({ events, peer }) {
      events.store = async () => {
        throw new Error('no database')
      }
      assert.equal(await peer.sendReceipt('any'), false)
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

for (const [name, start] of Object.entries(CARRIERS)) {
  for (const { promise, run } of CASES) test(`${name}: ${promise}`, async (t) => await run(await start(t)))
}

function acceptedIds(outcome: SubmitOutcome): string[] {
  assert.equal(outcome.kind, 'accepted')
  return outcome.kind === 'accepted' ? outcome.carrierMessageIds : []
}

async function startSmpp(t: TestContext): Promise<CarrierToTest> {
  const { carrier, events, smsc } = await startPair(t, { answerTimeout: 0.3 })
  const deliver = (id: string) =>
    smsc.links.at(-1)?.deliver({ esmClass: 0x04, shortMessage: Buffer.from(`id:${id} stat:DELIVRD err:000`) }) ?? 0
  const accept = smsc.onSubmit
  const answer = (status: StatusName): typeof accept => {
    return (submit, link) => link.answer(submit, status)
  }
  const behaviours: Record<Parameters<Peer['behave']>[0], typeof accept> = {
    accept,
    throttle: answer('ESME_RTHROTTLED'),
    refuse: answer('ESME_RINVDSTADR'),
    'stay silent': () => undefined,
    'close mid-flight': (_, link) => link.socket.resetAndDestroy(),
    'receipt first': (submit, link) => {
      deliver('early')
      link.answer(submit, 'ESME_ROK', 'early')
    }
  }
  return {
    carrier,
    events,
    peer: {
      behave: (behaviour) => {
        smsc.onSubmit = behaviours[behaviour]
      },
      get receivedCount() {
        return smsc.submits.length
      },
      async sendReceipt(carrierMessageId) {
        const sequence = deliver(carrierMessageId)
        const answers = () => smsc.links.at(-1)?.answers ?? []
        const [, status] = await eventually(
          () => answers().find(([answered]) => answered === sequence) ?? assert.fail('not answered')
        )
        return status === STATUSES.ESME_ROK
      }
    }
  }
}
