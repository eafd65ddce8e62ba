import { databaseNow } from '../../database/clock.ts'
import type { MessagePdu } from '../../smpp/pdu.ts'
import type { OutboundMessage } from '../carrier.ts'
import type { PartFields } from './text-parts.ts'

interface Address {
  ton: number
  npi: number
  address: string
}

/** SMPP 3.4, paragraph 5.2.17: a receipt of success or failure. */
const REGISTERED_DELIVERY = 1
/**
 * Paragraph 5.2.14: from 1 on, a message has priority in GSM networks. 0 is what every other message has, since there is
 * nothing below it.
 */
const PRIORITY_HIGH = 1
/** Relative times have two digits of days, and carriers keep nothing longer than some days anyway. */
const VALIDITY_SECONDS_MAX = 30 * 86_400

/** The submit_sm of one part. Its number is the session's to give. */
export function toSubmit(message: OutboundMessage, dataCoding: number, part: PartFields): MessagePdu {
  const source = toAddress(message.from)
  return {
    command: 'submit_sm',
    status: 0,
    sequence: 0,
    serviceType: '',
    sourceAddrTon: source.ton,
    sourceAddrNpi: source.npi,
    sourceAddr: source.address,
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: withoutPlus(message.to),
    esmClass: part.esmClass,
    protocolId: 0,
    priorityFlag: message.priority === 'high' ? PRIORITY_HIGH : 0,
    scheduleDeliveryTime: '',
    validityPeriod: toValidityPeriod((message.expiresAt.getTime() - databaseNow().getTime()) / 1000),
    registeredDelivery: REGISTERED_DELIVERY,
    replaceIfPresentFlag: 0,
    dataCoding,
    smDefaultMsgId: 0,
    shortMessage: part.shortMessage,
    tlvs: part.tlvs
  }
}

/**
 * Paragraphs 5.2.5 and 5.2.6. That short codes are network specific (3) without a plan is what French carriers ask for;
 * the specification leaves it open.
 */
export function toAddress(sender: string): Address {
  if (!/^\+?\d+$/.test(sender)) return { ton: 5, npi: 0, address: sender }
  if (sender.length <= 6) return { ton: 3, npi: 0, address: sender }
  return { ton: 1, npi: 1, address: withoutPlus(sender) }
}

function withoutPlus(number: string): string {
  return number.charCodeAt(0) === 0x2b ? number.slice(1) : number
}

/**
 * Paragraph 7.1.1: years, months, days, hours, minutes, seconds, then tenths and zone, which are 0, and R for relative.
 */
export function toValidityPeriod(secondsLeft: number): string {
  const seconds = Math.min(VALIDITY_SECONDS_MAX, Math.max(1, Math.floor(secondsLeft)))
  if (seconds === lastSeconds) return lastPeriod
  const fields = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60]
  lastPeriod = `0000${fields.map((field) => String(Math.floor(field)).padStart(2, '0')).join('')}000R`
  lastSeconds = seconds
  return lastPeriod
}

// The messages of a campaign expire together, so messages of one second share the text.
let lastSeconds = 0
let lastPeriod = ''
