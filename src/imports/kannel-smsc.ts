import { type CarrierDraft, carrierName, isPlainSender, type Note, senderKeys } from './imported.ts'
import type { KannelGroup, KannelValue } from './kannel-file.ts'

/* A connection of Kannel to an SMSC as a carrier of Chappe. */

/** A carrier, with what Kannel says about the numbers that go to it. */
export interface ReadSmsc {
  /** The `smsc-id`, which several connections may share. */
  id: string
  carrier: CarrierDraft
  allowedPrefixes: string[]
  deniedPrefixes: string[]
  preferredPrefixes: string[]
}

/** Keys that mean the same here, each with what its text becomes; undefined: it can't be taken over. */
const TAKEN: Readonly<Record<string, (text: string) => Record<string, string | number | boolean> | undefined>> = {
  'smsc-username': (text) => (text.length <= 15 ? { systemId: text } : undefined),
  'smsc-password': (text) => (text.length <= 64 ? { password: text } : undefined),
  host: (text) => ({ host: text }),
  port: (text) => whole(text, 'port', 1, 65_535),
  'system-type': (text) => (text.length <= 12 ? { systemType: text } : undefined),
  throughput: (text) => whole(String(Math.ceil(Number(text))), 'throughput', 0, 100_000),
  'max-pending-submits': (text) => whole(text, 'window', 1, 10_000),
  'enquire-link-interval': (text) => whole(text, 'enquireLink', 1, 600),
  'wait-ack': (text) => whole(text, 'answerTimeout', 1, 300),
  instances: (text) => whole(text, 'sessions', 1, 64),
  'use-ssl': (text) => ({ tls: isTrue(text) }),
  'alt-charset': (text) => (/^(iso-?8859-1|latin-?1)$/i.test(text) ? { encoding: 'latin1' } : undefined)
}

/** Keys that say nothing that Chappe would do otherwise. */
const SILENT = new Set(['smsc', 'smsc-id', 'smsc-admin-id', 'transceiver-mode', 'log-file', 'log-level'])

const TON = 'Chappe chooses type and plan of a number by its form'
const REASONS: Readonly<Record<string, string>> = {
  'interface-version': 'Chappe binds with SMPP 3.4',
  'source-addr-ton': TON,
  'source-addr-npi': TON,
  'source-addr-autodetect': TON,
  'dest-addr-ton': TON,
  'dest-addr-npi': TON,
  'bind-addr-ton': TON,
  'bind-addr-npi': TON,
  'address-range': 'the bind names no range; ask the carrier for a bind that needs none',
  'msg-id-type': 'Chappe learns how receipts write ids; see messageIdFormat',
  'reconnect-delay': 'Chappe has its own pauses between binds',
  'allowed-smsc-id': 'routes choose carriers by number, account, sender and category',
  'denied-smsc-id': 'routes choose carriers by number, account, sender and category',
  'preferred-smsc-id': 'routes choose carriers by number, account, sender and category',
  'ssl-client-certkey-file': 'write it as tls.cert and tls.key; see docs/smpp.md',
  'my-number': 'add the number to numbers of the carrier, if accounts may send from it',
  'unified-prefix': 'numbers are read by their country, in any notation',
  'reroute-dlr': 'receipts find their message by its id',
  'service-type': 'Chappe sends an empty service type'
}

const ROUTING = new Set(['allowed-prefix', 'denied-prefix', 'preferred-prefix'])

/** Undefined for a connection that can't be taken over; a note says why. */
export function readSmsc(
  group: KannelGroup,
  { others, notes, globalSender }: { others: readonly CarrierDraft[]; notes: Note[]; globalSender: string | undefined }
): ReadSmsc | undefined {
  const { values } = group
  const text = (key: string) => values.get(key)?.text
  const note = (place: { file: string; line: number }, what: string, why: string) => {
    notes.push({ file: place.file, line: place.line, what, why })
  }
  const id = text('smsc-id') ?? 'smpp'
  const missing = ['host', 'port', 'smsc-username', 'smsc-password'].filter((key) => text(key) === undefined)
  if (missing.length > 0) {
    note(group, `smsc ${id}`, `has no ${missing.join(', ')}: a carrier that sends needs it`)
    return undefined
  }
  const name = carrierName(id, others)
  if (name !== id) note(values.get('smsc-id') ?? group, `smsc-id ${id}`, `is called ${name} here`)
  const keys: Record<string, string | number | boolean | string[]> = {}
  for (const [key, value] of values) {
    const take = TAKEN[key]
    const taken = take?.(value.text)
    if (taken) Object.assign(keys, taken)
    else if (take) note(value, key, 'has a value that Chappe does not take')
    else if (key === 'receive-port') readReceivePort(value, text('port'), note)
    else if (!SILENT.has(key) && !ROUTING.has(key)) note(value, key, REASONS[key] ?? 'has no counterpart')
  }
  const lost = ['host', 'port', 'systemId', 'password'].filter((key) => !(key in keys))
  if (lost.length > 0) {
    note(group, `smsc ${id}`, `has no usable ${lost.join(', ')}: it is not taken over`)
    return undefined
  }
  if (values.has('throughput') && !Number.isInteger(Number(text('throughput')))) {
    note(values.get('throughput') ?? group, 'throughput', `is ${keys.throughput} here: whole messages a second`)
  }
  const isPair = text('receive-port') !== undefined && !isTrue(text('transceiver-mode') ?? '')
  if (isPair) keys.bind = 'transmitter+receiver'
  if (globalSender !== undefined && isPlainSender(globalSender)) Object.assign(keys, senderKeys(globalSender))
  const prefixes = (key: string) => readPrefixes(values.get(key), key, note)
  return {
    id,
    carrier: { name, type: 'smpp', ...keys } as CarrierDraft,
    allowedPrefixes: prefixes('allowed-prefix'),
    deniedPrefixes: prefixes('denied-prefix'),
    preferredPrefixes: prefixes('preferred-prefix')
  }
}

type AddNote = (place: { file: string; line: number }, what: string, why: string) => void

function readReceivePort(value: KannelValue, port: string | undefined, note: AddNote): void {
  if (value.text !== port) note(value, 'receive-port', `differs from port: Chappe receives over port ${port}`)
}

/** Prefixes in digits, country code first. */
function readPrefixes(value: KannelValue | undefined, key: string, note: AddNote): string[] {
  if (!value) return []
  const found = new Set<string>()
  for (const given of value.text.split(/[;,]/).map((each) => each.trim())) {
    if (given === '') continue
    const digits = given.replace(/^(\+|00)/, '')
    if (/^[1-9]\d{0,14}$/.test(digits)) found.add(digits)
    else note(value, `${key} ${given}`, 'is no beginning of an international number')
  }
  return [...found]
}

function whole(text: string, key: string, min: number, max: number): Record<string, number> | undefined {
  const value = Number(text)
  return Number.isInteger(value) && value >= min && value <= max ? { [key]: value } : undefined
}

export function isTrue(text: string): boolean {
  return /^(true|yes|on|1)$/i.test(text)
}
