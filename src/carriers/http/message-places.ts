import { databaseNowMs } from '../../database/clock.ts'
import { countSeptets } from '../../gsm/gsm-alphabet.ts'
import { createHmacWith } from '../../http/hmac.ts'
import type { OutboundMessage } from '../carrier.ts'
import { callbackAddress } from './callback-address.ts'
import { choose, type LookUp, type PlaceValue } from './places.ts'
import type { HttpCarrierSettings } from './read-http.ts'

/** What stands in a request to send. */
export type MessagePlaces = (message: OutboundMessage) => LookUp

/**
 * The values of one message. `idKey` is secret and the same in all processes: from it come idempotency keys that no
 * other service has.
 */
export function createMessagePlaces(settings: HttpCarrierSettings, idKey: string): MessagePlaces {
  const hmac = createHmacWith('sha256', idKey)
  const fixed = fixedPlaces(settings)
  return (message) => {
    const secondsLeft = Math.max(1, Math.floor((message.expiresAt.getTime() - databaseNowMs()) / 1000))
    const values: Record<(typeof MESSAGE_PLACES)[number], () => PlaceValue> = {
      to: () => message.to,
      to_digits: () => withoutPlus(message.to),
      from: () => message.from,
      from_digits: () => withoutPlus(message.from),
      text: () => (message.binary ? undefined : message.text),
      data: () => message.binary?.data.toString('hex'),
      udh: () => message.binary?.udh.toString('hex') || undefined,
      priority: () => message.priority,
      id: () => String(message.reference),
      idempotency_key: () => toUuid(hmac(String(message.reference), 'hex')),
      validity: () => secondsLeft,
      validity_minutes: () => Math.max(1, Math.floor(secondsLeft / 60)),
      validity_ms: () => secondsLeft * 1000,
      expires_at: () => message.expiresAt.toISOString()
    }
    return (place) => {
      const { name, argument } = place
      if (name === 'unicode') return choose(countSeptets(message.text) === undefined, argument)
      if (name === 'flash') return choose(message.flash === true, argument)
      return Object.hasOwn(values, name) ? values[name as keyof typeof values]() : fixed(place)
    }
  }
}

/** Places of every request: the carrier's secrets, and the addresses for its news. */
export function fixedPlaces(settings: HttpCarrierSettings): LookUp {
  return ({ name, argument = '' }) => {
    if (name === 'secret') return settings.secretTexts[argument]
    if (name !== 'callback') return undefined
    return argument === 'receipts' || argument === 'replies' ? callbackAddress(settings, argument) : undefined
  }
}

/** Places that take no argument. */
export const MESSAGE_PLACES = [
  'to',
  'to_digits',
  'from',
  'from_digits',
  'text',
  'data',
  'udh',
  'priority',
  'id',
  'idempotency_key',
  'validity',
  'validity_minutes',
  'validity_ms',
  'expires_at'
] as const

/** Places that may choose between two words: `{{unicode:unicode|text}}`. */
export const CHOICE_PLACES = ['unicode', 'flash'] as const

function withoutPlus(number: string): string {
  return number.replace(/^\+/, '')
}

/** The first 128 bits in the form that most providers ask for (RFC 9562, version 8: bits of our own choice). */
function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
