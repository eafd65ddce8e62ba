import Type from 'typebox'
import { answerChallenge, isSignatureForm, isSignedBy, readRbmPush } from './event-signature.ts'
import { type RbmEvent, readRbmEvent } from './read-event.ts'
import { invalidInput, notFound, Refusal } from '../../errors.ts'
import { callback, PlainText } from '../../http/operation.ts'
import type { NewEvent } from '../../rbm-events/rbm-events.store.ts'
import type { Receiving } from '../../rbm-events/receiving.ts'

const SIGNATURE = 'X-Goog-Signature'
/** A challenge has no signature, and is short: a token and a secret. */
const CHALLENGE_BYTES_MAX = 4 * 1024

/** What there is to do about an event; about others there is nothing. */
const REPORTS: ReadonlySet<RbmEvent['kind']> = new Set(['delivered', 'read', 'expired', 'expired-not-revoked'])
const INBOUND: ReadonlySet<RbmEvent['kind']> = new Set(['reply', 'unsubscribe'])

export function receiveRbmEvent(receiving: Receiving) {
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
    body: Type.Object(
      {
        message: Type.Optional(
          Type.Object(
            { data: Type.String({ description: 'The event, JSON in base64.' }) },
            { description: 'An event.' }
          )
        ),
        clientToken: Type.Optional(Type.String({ description: 'In a challenge, the carrier’s `webhookToken`.' })),
        secret: Type.Optional(Type.String({ description: 'In a challenge, what is to be answered.' }))
      },
      { $id: 'RbmPush' }
    ),
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
      findCarrier(params.name)
      const signature = headers[SIGNATURE.toLowerCase()]?.toString() ?? ''
      const maySign = signature === '' ? bodyBytes <= CHALLENGE_BYTES_MAX : isSignatureForm(signature)
      if (!maySign) throw unsigned()
    },
    async handle({ params, body, headers }) {
      const carrier = findCarrier(params.name)
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
      const event = readEvent(push.data)
      // It would come again for a week, and be no better then.
      if (!event) receiving.onEvent(carrier.name, 'unreadable')
      else {
        await receiving.store({ carrier: carrier.name, ...event })
        receiving.onEvent(carrier.name, event.kind)
      }
      return { success: true }
    }
  })

  function findCarrier(name: string) {
    const carrier = receiving.inUse.file.rbm.find((carrier) => carrier.name === name)
    if (!carrier) throw notFound('RCS carrier')
    return carrier
  }
}

function unsigned(): Refusal {
  return new Refusal(401, 'unauthorized', 'The signature of this event is missing or wrong.')
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** Undefined when it is no JSON. */
function readEvent(data: Buffer): (Omit<NewEvent, 'carrier'> & Pick<RbmEvent, 'kind'>) | undefined {
  try {
    const body = UTF_8.decode(data)
    const { eventId, kind } = readRbmEvent(JSON.parse(body))
    const isReport = REPORTS.has(kind)
    return { eventId, kind, isReport, isDue: isReport || INBOUND.has(kind), body }
  } catch {
    // Broken, or nested deeper than can be read.
    return undefined
  }
}
