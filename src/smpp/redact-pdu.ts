import { commandName, statusName, TLV_TAGS } from './commands.ts'
import type { DataPdu, KnownPdu, MessagePdu, MultiPdu, Pdu, Tlvs } from './pdu.ts'
import { ProtocolError } from './protocol-error.ts'

/*
 * A PDU as a person may see it who looks for a fault of a link. What it says, who says it and to whom stays out: no text, no
 * password, no name of a system, no message id, no whole number.
 */

export interface RedactedPdu {
  /** ISO 8601. */
  at: string
  direction: 'in' | 'out'
  /** The specification's name, or the number of a command that it does not know. */
  command: string
  isReadable: boolean
  /** Null of a PDU that can't be read. */
  status: string | null
  sequence: number
  source: string | null
  destination: string | null
  esmClass: number | null
  dataCoding: number | null
  smLength: number | null
  tlvs: { name: string; bytes: number }[]
}

/** A peer may send thousands of TLVs in one PDU. */
const TLVS_MAX = 20
const ADDRESS_CHARACTERS_MAX = 21
/** Fewer digits are a short code, or a part of a name. */
const NUMBER_DIGITS_MIN = 7
const HEAD_DIGITS_MAX = 4
const TAIL_DIGITS = 2

const TLV_NAMES = new Map<number, string>(Object.entries(TLV_TAGS).map(([name, tag]) => [tag, name]))

export function redactPdu(
  direction: RedactedPdu['direction'],
  pdu: Pdu | KnownPdu | ProtocolError,
  at: Date
): RedactedPdu {
  const shown = { ...NO_FIELDS, at: at.toISOString(), direction, sequence: pdu.sequence }
  if (pdu instanceof ProtocolError) return { ...shown, command: nameOf(pdu.commandId), isReadable: false }
  const common = {
    ...shown,
    command: pdu.command === 'unknown' ? nameOf(pdu.commandId) : pdu.command,
    status: statusName(pdu.status),
    tlvs: 'tlvs' in pdu ? redactTlvs(pdu.tlvs) : []
  }
  switch (pdu.command) {
    case 'submit_sm':
    case 'deliver_sm':
    case 'submit_multi':
    case 'data_sm':
      return { ...common, ...redactMessage(pdu) }
    case 'query_sm':
      return { ...common, source: redactAddress(pdu.sourceAddr) }
    case 'cancel_sm':
      return {
        ...common,
        source: redactAddress(pdu.sourceAddr),
        destination: redactAddress(pdu.destinationAddr)
      }
    default:
      return common
  }
}

const NO_FIELDS = {
  isReadable: true,
  status: null,
  source: null,
  destination: null,
  esmClass: null,
  dataCoding: null,
  smLength: null,
  tlvs: []
}

function redactMessage(pdu: MessagePdu | MultiPdu | DataPdu) {
  return {
    source: redactAddress(pdu.sourceAddr),
    destination: 'destinationAddr' in pdu ? redactAddress(pdu.destinationAddr) : null,
    esmClass: pdu.esmClass,
    dataCoding: pdu.dataCoding,
    smLength: 'shortMessage' in pdu ? pdu.shortMessage.length : null
  }
}

/** Hides at least half of the digits of a number, from its middle. A name or a short code stays as it is. */
export function redactAddress(address: string): string {
  const cut = address.slice(0, ADDRESS_CHARACTERS_MAX)
  const digits = cut.match(/\d/g)?.length ?? 0
  if (digits < NUMBER_DIGITS_MIN) return cut
  const head = Math.min(HEAD_DIGITS_MAX, Math.floor(digits / 2) - TAIL_DIGITS)
  let position = 0
  return cut.replaceAll(/\d/g, (digit) => {
    position++
    return position > head && position <= digits - TAIL_DIGITS ? '•' : digit
  })
}

function redactTlvs(tlvs: Tlvs): RedactedPdu['tlvs'] {
  const shown: RedactedPdu['tlvs'] = []
  for (const [tag, value] of tlvs) {
    if (shown.length === TLVS_MAX) break
    shown.push({ name: TLV_NAMES.get(tag) ?? `0x${tag.toString(16).padStart(4, '0')}`, bytes: value.length })
  }
  return shown
}

function nameOf(commandId: number): string {
  return commandName(commandId) ?? `0x${commandId.toString(16).padStart(8, '0')}`
}
