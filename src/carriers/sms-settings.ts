import Type from 'typebox'
import { DEFAULT_STOP_MENTION } from '../compliance/opt-out-mention.ts'
import { checkSender, toOurNumbers } from '../compliance/sender.ts'
import { parsePhoneNumber, toE164 } from '../phone-numbers/phone-number.ts'
import { validator } from '../schemas/validate.ts'
import type { Reading } from './check-settings.ts'
import { memberOf, textAt, toValue } from './json-places.ts'
import { shown } from './mistakes.ts'

/** What the carriers file may say of every SMS carrier, whatever it speaks: the senders that it takes. */
export const SMS_PROPERTIES = {
  sender: Type.String({ default: 'CHAPPE' }),
  numbers: Type.Array(Type.String({ minLength: 3, maxLength: 32 }), { default: [], maxItems: 10_000 }),
  stopMention: Type.String({ minLength: 1, maxLength: 40, default: DEFAULT_STOP_MENTION })
}

/** Numbers and the sender as messages name them, with the checks that their schemas can't express. */
export function readSenders(
  reading: Reading,
  settings: { sender?: string | undefined }
): { numbers: string[]; sender?: string } {
  const numbers = readNumbers(reading)
  const sender = settings.sender === undefined ? undefined : readSender(reading, numbers)
  return { numbers, ...(sender !== undefined && { sender }) }
}

/** Our numbers as E.164, short codes as they are. Repeating one does no harm. */
function readNumbers({ node, path, mistakes }: Reading): string[] {
  const list = memberOf(node, 'numbers')
  const numbers = new Set<string>()
  if (list?.kind !== 'array') return []
  for (const [index, item] of list.items.entries()) {
    const validation = validateNumber(toValue(item))
    if ('problems' in validation) continue // Its schema has reported it already.
    const number = toOurNumber(validation.value)
    if (number !== undefined) numbers.add(number)
    else {
      const problem = `must be a phone number or a short code of 5 or 6 digits; it is ${shown(validation.value)}`
      mistakes.add(item, `${path}.numbers[${index}]`, problem)
      if (mistakes.count > MISTAKES_MAX) break
    }
  }
  return [...numbers]
}

/** The library takes 0.2 ms to refuse a number: a file with more bad ones would hold up the start. */
const MISTAKES_MAX = 1000

const validateNumber = validator(SMS_PROPERTIES.numbers.items)
const SHORT_CODE = /^\d{5,6}$/
const INTERNATIONAL = /^\s*(?:\+|00)/

function toOurNumber(text: string): string | undefined {
  if (SHORT_CODE.test(text)) return text
  // A national number is French, as everywhere by default. Operators give us numbers of ranges that the library does
  // not know; written internationally, they only have to be as long as their country's.
  return (
    parsePhoneNumber(text, 'FR')?.e164 ??
    (INTERNATIONAL.test(text) ? toE164(text.replace(/^\s*00/, '+'), 'FR') : undefined)
  )
}

/** A carrier's sender goes to whatever country its routes lead to, so it keeps to the rule that passes everywhere. */
const STRICTEST = 'FR'

function readSender({ node, path, mistakes }: Reading, numbers: readonly string[]): string | undefined {
  const written = textAt(node, 'sender')
  if (written === undefined) return undefined
  const number = toOurNumber(written.value)
  const sender = number !== undefined && numbers.includes(number) ? number : written.value
  const problem = checkSender(sender, { country: STRICTEST, ourNumbers: toOurNumbers(numbers) })
  if (problem !== undefined) mistakes.add(written, `${path}.sender`, `${problem}; it is ${shown(written.value)}`)
  return sender
}
