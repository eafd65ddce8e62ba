import { strict as assert } from 'node:assert'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import type { Carrier, OutboundMessage, SubmitOutcome } from './carrier.ts'
import { answer, type RawPlatform, refuse, startRawPlatform, startTestCarrier } from './rbm/rbm.samples.ts'
import { type RecordedEvents, startPair, toMessage as toAnyMessage } from './smpp/carrier.samples.ts'
import { STATUSES, type StatusName } from './smpp/commands.ts'

/* What every carrier promises, whatever it speaks. A new one is done when it passes: add it to the list. */

interface CarrierToTest {
  carrier: Carrier
  peer: Peer
  /** What a refusal for good is, and what a peer that may have it or not leaves. */
  outcomes: { refused: 'rejected' | 'unreachable'; unanswered: 'in-doubt' | 'retry' }
  /** Of a carrier that receipts come in by; those of RCS come over HTTP, to whoever serves it. */
  receipts?: {
    events: RecordedEvents
    /** Says that a message was delivered. Tells whether it was told that we have stored that. */
    send(carrierMessageId: string): Promise<boolean>
  }
}

/** The other side, and what it does with a message from now on. */
interface Peer {
  behave(behaviour: Behaviour | 'receipt first'): void
  /** How many different messages it got. */
  readonly receivedCount: number
}

type Behaviour = 'accept' | 'throttle' | 'refuse' | 'stay silent' | 'close mid-flight'

interface Case {
  promise: string
  isAboutReceipts?: true
  /** What may never happen is a doubt that is taken for a retry where the phone would get it twice. */
  run(toTest: Required<CarrierToTest>): Promise<void>
}

const CARRIERS: Record<string, (t: TestContext) => Promise<CarrierToTest>> = { smpp: startSmpp, rbm: startRbm }
/** Those that receipts come in by. */
const WITH_RECEIPTS = new Set(['smpp'])

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
    async run({ carrier, peer, outcomes }) {
      peer.behave('refuse')
      const outcome = await carrier.submit(toMessage())
      assert.equal(outcome.kind, outcomes.refused)
      assert.ok('reason' in outcome && outcome.reason !== '')
      if (outcome.kind === 'rejected') assert.deepEqual(outcome.carrierMessageIds, [])
    }
  },
  {
    promise: 'a silent peer leaves a doubt, in time, unless a repeat comes once',
    async run({ carrier, peer, outcomes }) {
      peer.behave('stay silent')
      const message = toMessage()
      assert.equal((await carrier.submit(message)).kind, outcomes.unanswered)
      assert.equal(peer.receivedCount, 1)
      if (outcomes.unanswered === 'in-doubt') return
      peer.behave('accept')
      acceptedIds(await carrier.submit(message))
      assert.equal(peer.receivedCount, 1)
    }
  },
  {
    promise:
      'a connection that closes mid-flight leaves a doubt, unless a repeat comes once, and the next message passes',
    async run({ carrier, peer, outcomes }) {
      peer.behave('close mid-flight')
      assert.equal((await carrier.submit(toMessage())).kind, outcomes.unanswered)
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
    isAboutReceipts: true,
    async run({ carrier, receipts: { events, send } }) {
      const [id = ''] = acceptedIds(await carrier.submit(toMessage()))
      assert.equal(await send(id), true)
      assert.equal(await send(id), true)
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
    isAboutReceipts: true,
    async run({ carrier, receipts: { events }, peer }) {
      peer.behave('receipt first')
      const outcome = carrier.submit(toMessage())
      await eventually(() => assert.equal(events.receipts.length, 1))
      const [id] = acceptedIds(await outcome)
      assert.equal(events.receipts[0]?.carrierMessageId, id)
    }
  },
  {
    promise: 'a receipt that was not stored is not answered as if it were',
    isAboutReceipts: true,
    async run({ receipts: { events, send } }) {
      events.store = async () => {
        throw new Error('no database')
      }
      assert.equal(await send('any'), false)
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
  for (const { promise, isAboutReceipts, run } of CASES) {
    if (isAboutReceipts && !WITH_RECEIPTS.has(name)) continue
    test(`${name}: ${promise}`, async (t) => await run((await start(t)) as Required<CarrierToTest>))
  }
}

/** With something to show for those who show more than a text. */
function toMessage(fields: Partial<OutboundMessage> = {}): OutboundMessage {
  return toAnyMessage({ rcs: { type: 'text', data: { text: 'Bonjour' } }, reference: reference++, ...fields })
}

let reference = 1

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
    outcomes: { refused: 'rejected', unanswered: 'in-doubt' },
    peer: {
      behave: (behaviour) => {
        smsc.onSubmit = behaviours[behaviour]
      },
      get receivedCount() {
        return smsc.submits.length
      }
    },
    receipts: {
      events,
      async send(carrierMessageId) {
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

async function startRbm(t: TestContext): Promise<CarrierToTest> {
  const platform = await startRawPlatform(t)
  const { carrier, cache } = startTestCarrier(t, platform, { timings: { sendMs: 300 } })
  cache.known.set(toMessage().to, true)
  await eventually(() => assert.ok(carrier.status().isUp))
  const behaviours: Record<Behaviour, RawPlatform['onCall']> = {
    accept: (_, response) => answer(response, 200, {}),
    throttle: (_, response) => refuse(response, 429, 'RESOURCE_EXHAUSTED'),
    refuse: (_, response) => refuse(response, 404, 'NOT_FOUND'),
    'stay silent': () => undefined,
    'close mid-flight': (_, response) => response.socket?.resetAndDestroy()
  }
  return {
    carrier,
    outcomes: { refused: 'unreachable', unanswered: 'retry' },
    peer: {
      behave: (behaviour) => {
        platform.onCall = behaviours[behaviour as Behaviour]
      },
      get receivedCount() {
        return new Set(platform.sends.map(({ query }) => query.get('messageId'))).size
      }
    }
  }
}
