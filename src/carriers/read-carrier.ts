import { checkSender, toOurNumbers } from '../compliance/sender.ts'
import { parsePhoneNumber, toE164 } from '../phone-numbers/phone-number.ts'
import { validator } from '../schemas/validate.ts'
import { type Reading, readSettings } from './check-settings.ts'
import { memberOf, textAt, toValue } from './json-places.ts'
import { shown } from './mistakes.ts'
import { isWebAddress, readCertificates, readServiceAccount } from './named-files.ts'
import { RbmSettings, type ServiceAccountKey } from './rbm/rbm-settings.ts'
import { SmppSettings } from './smpp/smpp-settings.ts'

/** A carrier with what the files that it names hold. */
export type ReadCarrier = (SmppSettings & { caText?: string }) | (RbmSettings & { key: ServiceAccountKey })

export type CarrierType = ReadCarrier['type']

interface NamedCarrier {
  name: { value: string; line: number } | undefined
  type: CarrierType | undefined
  carrier: ReadCarrier | undefined
}

const TYPES: readonly CarrierType[] = ['smpp', 'rbm']

/**
 * Name and type are told also when the rest is wrong, so that the routes can be judged by them. The carrier itself is
 * whole only if no mistake was found.
 */
export function readCarrier(reading: Reading, folder: string): NamedCarrier {
  const { node, path, mistakes } = reading
  if (node.kind !== 'object') {
    mistakes.add(node, path, 'must be an object')
    return { name: undefined, type: undefined, carrier: undefined }
  }
  const name = textAt(node, 'name')
  const written = node.members.get('type')?.node
  const type = TYPES.find((known) => written?.kind === 'scalar' && written.value === known)
  if (type === 'smpp') return { name, type, carrier: readSmpp(reading, folder) }
  if (type === 'rbm') return { name, type, carrier: readRbm(reading, folder) }
  if (!written) mistakes.add(node, `${path}.type`, 'is missing: write "smpp" or "rbm"')
  else {
    const value = written.kind === 'scalar' ? `; it is ${shown(written.value)}` : ''
    mistakes.add(written, `${path}.type`, `must be "smpp" or "rbm"${value}`)
  }
  return { name, type: undefined, carrier: undefined }
}

function readSmpp(reading: Reading, folder: string): ReadCarrier {
  const settings = readSettings(SmppSettings, reading)
  const numbers = readNumbers(reading)
  const sender = settings.sender === undefined ? undefined : readSender(reading, numbers)
  const caText = readCa(reading, folder)
  return {
    ...(settings as SmppSettings),
    numbers,
    ...(sender !== undefined && { sender }),
    ...(caText !== undefined && { caText })
  }
}

/** Our numbers as E.164, short codes as they are. Repeating one does no harm. */
function readNumbers({ node, path, mistakes }: Reading): string[] {
  const list = memberOf(node, 'numbers')
  const numbers = new Set<string>()
  if (list?.kind !== 'array') return []
  for (const [index, item] of list.items.entries()) {
    const validation = validateNumber(toValue(item))
    if ('problems' in validation) continue // Told already, with the rest of the schema.
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

/** The library takes 0.2 ms over what is no number, and nobody waits to hear of more. */
const MISTAKES_MAX = 1000

const validateNumber = validator(SmppSettings.properties.numbers.items)
const SHORT_CODE = /^\d{5,6}$/
const INTERNATIONAL = /^\s*(?:\+|00)/

function toOurNumber(text: string): string | undefined {
  if (SHORT_CODE.test(text)) return text
  // A national number is French, as everywhere by default. Operators give us numbers of ranges that the library does not
  // know; written internationally, they only have to be as long as their country's.
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

function readCa({ node, path, mistakes }: Reading, folder: string): string | undefined {
  const ca = textAt(memberOf(node, 'tls'), 'ca')
  if (ca === undefined || ca.value === '') return undefined
  const read = readCertificates(folder, ca.value)
  if ('text' in read) return read.text
  mistakes.add(ca, `${path}.tls.ca`, `names a file that ${read.problem}; it is ${shown(ca.value)}`)
  return undefined
}

function readRbm(reading: Reading, folder: string): ReadCarrier | undefined {
  const settings = readSettings(RbmSettings, reading)
  const { node, path, mistakes } = reading
  const baseUrl = textAt(node, 'baseUrl')
  if (baseUrl && settings.baseUrl !== undefined && !isBaseUrl(baseUrl.value)) {
    // Not quoted: where credentials are refused, they may stand.
    mistakes.add(
      baseUrl,
      `${path}.baseUrl`,
      'must be an http or https address without credentials, query and fragment, such as https://rcs.example.com'
    )
  }
  const file = textAt(node, 'serviceAccount')
  if (!file || settings.serviceAccount === undefined) return undefined
  const read = readServiceAccount(folder, file.value)
  if ('key' in read) {
    const baseUrlTidy = (baseUrl?.value ?? '').replace(/\/+$/, '')
    return { ...(settings as RbmSettings), baseUrl: baseUrlTidy, key: read.key }
  }
  mistakes.add(file, `${path}.serviceAccount`, `names a file that ${read.problem}; it is ${shown(file.value)}`)
  return undefined
}

function isBaseUrl(text: string): boolean {
  if (!isWebAddress(text)) return false
  const { username, password, search, hash } = new URL(text)
  return [username, password, search, hash].every((part) => part === '')
}
