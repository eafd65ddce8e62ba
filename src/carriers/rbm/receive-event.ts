import { isUtf8 } from 'node:buffer'
import Type from 'typebox'
import { invalidInput, notFound, Refusal } from '../../errors.ts'
import { callback, PlainText } from '../../http/callback.ts'
import type { CarrierInbound } from '../carrier.ts'
import type { CallbackContext } from '../kind.ts'
import type { PostedEvent } from '../posted-event.ts'
import { answerChallenge, isSignatureForm, isSignedBy, readRbmPush } from './event-signature.ts'
import { readRbmEvent } from './read-event.ts'
import type { RbmCarrierSettings } from './read-rbm.ts'

const SIGNATURE = 'X-Goog-Signature'
/** A challenge has no signature, and is short: a token and a secret. */
const CHALLENGE_BYTES_MAX = 4 * 1024

/** An event as Pub/Sub wraps it, or the challenge by which the address is set up. */
const RbmPushBody = Type.Object(
  {
    message: Type.Optional(
      Type.Object({ data: Type.String({ description: 'The event, JSON in base64.' }) }, { description: 'An event.' })
    ),
    clientToken: Type.Optional(Type.String({ description: 'In a challenge, the carrier’s `webhookToken`.' })),
    secret: Type.Optional(Type.String({ description: 'In a challenge, what is to be answered.' }))
  },
  { $id: 'RbmPush' }
)

export function receiveRbmEvent({ carriers, inbound }: CallbackContext<RbmCarrierSettings>) {
  return callback({
    route: 'POST /carriers/rbm/{name}/events',
    id: 'receiveRbmEvent',
    tag: 'Beyond',
    summary: 'Events of an RCS carrier',
    description:
      'Where Google’s RCS Business Messaging posts its events for the carrier of this name: what became of messages, and what people write back. Each is stored before it is answered; the same one again changes nothing. The challenge by which Google sets the address up is answered with its bare secret.',
    headers: {
      [SIGNATURE]: 'HMAC-SHA512 over the decoded `message.data` with the carrier’s `webhookToken`, in base64.'
    },
    challenge: `HMAC-SHA512 realm="chappe", header="${SIGNATURE}"`,
    plainText: 'The `secret` of a challenge.',
    body: RbmPushBody,
    answer: Type.Object({ success: Type.Boolean() }),
    example: {
      body: { message: { data: 'eyJldmVudFR5cGUiOiJERUxJVkVSRUQiLCAuLi59' } },
      answer: { success: true }
    },
    refusals: {
      unauthorized: 'The signature is missing or wrong, or the token of a challenge is.',
      not_found: 'There is no RCS carrier of this name.'
    },
    admit({ params, headers, bodyBytes }) {
      const carrier = findCarrier(params.name)
      const signature = headers[SIGNATURE.toLowerCase()]?.toString() ?? ''
      const maySign = signature === '' ? bodyBytes <= CHALLENGE_BYTES_MAX : isSignatureForm(signature)
      if (!maySign) throw unsigned()
      return carrier
    },
    async handle({ admitted: carrier, body, headers }) {
      const push = readRbmPush(body)
      if (!push) throw invalidInput([{ path: 'message.data', message: 'is missing' }])
      if (push.kind === 'challenge') {
        const secret = answerChallenge(carrier.webhookToken, push)
        if (secret === undefined) throw new Refusal(401, 'unauthorized', 'The token of this challenge is wrong.')
        return new PlainText(secret)
      }
      const signature = headers[SIGNATURE.toLowerCase()]
      if (!isSignedBy(carrier.webhookToken, push.data, signature?.toString())) {
        throw unsigned()
      }
      await handIn(inbound, carrier.name, push.data)
      return { success: true }
    }
  })

  function findCarrier(name: string): RbmCarrierSettings {
    const carrier = carriers().find((carrier) => carrier.name === name)
    if (!carrier) throw notFound('RCS carrier')
    return carrier
  }
}

/** Takes an event to the function of the door that it is for. Settles once the event is stored. */
async function handIn(inbound: CarrierInbound, carrier: string, data: Buffer): Promise<void> {
  const read = readEvent(data)
  // Refused, an event that can't be read would come again for a week, and be no better then.
  if (!read) return inbound.onNotice({ carrier, kind: 'unreadable' })
  const { event, body } = read
  const kept = { id: event.eventId, body }
  switch (event.kind) {
    case 'delivered':
    case 'read':
    case 'expired':
    case 'expired-not-revoked':
      return inbound.onReport({ ...event, carrier, kept })
    case 'reply':
    case 'unsubscribe':
      return inbound.onReply({ ...event, carrier, kept })
    case 'subscribe':
    case 'other':
      return inbound.onNotice({ carrier, kind: event.kind, kept })
    default:
      return event satisfies never
  }
}

function unsigned(): Refusal {
  return new Refusal(401, 'unauthorized', 'The signature of this event is missing or wrong.')
}

/** For a text with a byte order mark, which the decoder leaves out. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true })
const MARK_BYTE = 0xef

/** Undefined when it is no JSON. */
function readEvent(data: Buffer): { event: PostedEvent; body: string } | undefined {
  try {
    // A decoder costs more than the rest of the reading.
    const body = isUtf8(data) && data[0] !== MARK_BYTE ? data.toString() : UTF_8.decode(data)
    return { event: readRbmEvent(JSON.parse(body)), body }
  } catch {
    // Broken, or nested deeper than can be read.
    return undefined
  }
}
