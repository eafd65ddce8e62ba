import { TLV_TAGS } from '../../src/smpp/commands.ts'
import { type MessagePdu, NO_TLVS, type Tlvs } from '../../src/smpp/pdu.ts'
import type { Delays } from '../delays.ts'
import type { PhoneHabits } from '../phones/magic-numbers.ts'
import type { Conduct } from './conduct.ts'
import type { FaultState } from './fault-state.ts'
import { writeId } from './message-ids.ts'
import type { SmscSession } from './smsc-session.ts'
import type { SmscStats } from './stats.ts'
import type { Delivery, SystemAccount } from './system-account.ts'

/** A segment that the carrier accepted, with the data of its receipts. */
export interface AcceptedSegment {
  id: number
  account: SystemAccount
  session: SmscSession
  habits: PhoneHabits
  /** In milliseconds, like Date.now(): a Date takes six times the memory, and very many segments may wait. */
  submittedAt: number
  /** The beginning of its text. */
  preview: string
  registeredDelivery: number
  source: Address
  destination: Address
}

export interface Address {
  ton: number
  npi: number
  address: string
}

/** SMPP 3.4, paragraph 5.2.17: no receipt, or a receipt for a failure only. */
const REGISTERED_DELIVERY_BITS = 0x03
const RECEIPT_NEVER = 0x00
const RECEIPT_OF_FAILURE = 0x02

/** Sends the receipts of segments, as the faults allow. */
export class Receipts {
  readonly #faults: FaultState
  readonly #delays: Delays
  readonly #stats: SmscStats
  #held: (() => void)[] = []

  constructor({ faults, delays, stats }: { faults: FaultState; delays: Delays; stats: SmscStats }) {
    this.#faults = faults
    this.#delays = delays
    this.#stats = stats
  }

  send(segment: AcceptedSegment): void {
    const { habits } = segment
    const requested = segment.registeredDelivery & REGISTERED_DELIVERY_BITS
    if (requested === RECEIPT_NEVER || (requested === RECEIPT_OF_FAILURE && !habits.failure) || habits.hasNoReceipt)
      return
    const delayMs = this.#faults.conduct.receiptDelayMs + (habits.arrivesAfterMs ?? 0)
    this.#delays.run(delayMs, () => this.#sendHeldBack(segment))
  }

  get heldCount(): number {
    return this.#held.length
  }

  release(): void {
    const held = this.#held
    this.#held = []
    for (const send of held) send()
  }

  #sendHeldBack(segment: AcceptedSegment): void {
    if (this.#faults.conduct.areReceiptsHeld) this.#held.push(() => this.#sendNow(segment))
    else this.#sendNow(segment)
  }

  #sendNow(segment: AcceptedSegment): void {
    if (this.#faults.picks('droppedReceipts')) {
      this.#stats.receiptsDropped++
      return
    }
    const { conduct } = this.#faults
    const words = conduct.receiptWords.length > 0 ? conduct.receiptWords : [segment.habits.failure?.word ?? 'DELIVRD']
    for (const word of words) {
      const receipt = new ReceiptDelivery(segment, word, conduct)
      for (let copy = 0; copy < conduct.receiptCopies; copy++) segment.account.deliver(receipt)
    }
  }
}

/** Paragraph 5.2.12: this is a receipt. */
const ESM_CLASS_RECEIPT = 0x04
/** Paragraph 5.2.28. */
const MESSAGE_STATES: Readonly<Record<string, number>> = {
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIV: 5,
  ACCEPTD: 6,
  UNKNOWN: 7,
  REJECTD: 8
}

/** Builds its PDU when it is sent, so that a waiting receipt is small. */
class ReceiptDelivery implements Delivery {
  readonly kind = 'receipt'
  readonly avoid: SmscSession | undefined
  readonly #segment: AcceptedSegment
  readonly #word: string
  readonly #id: string
  readonly #content: Conduct['receiptContent']
  readonly #doneAt = Date.now()

  constructor(segment: AcceptedSegment, word: string, conduct: Conduct) {
    const { receiptIdForm, idForm } = conduct
    this.#segment = segment
    this.#word = word
    this.#id = writeId(segment.id, receiptIdForm === 'same' ? idForm : receiptIdForm)
    this.#content = conduct.receiptContent
    this.avoid = conduct.areReceiptsOnAnotherBind ? segment.session : undefined
  }

  toPdu(sequence: number): MessagePdu {
    const { source, destination } = this.#segment
    const hasText = this.#content !== 'tlvs'
    return {
      ...DELIVERY_FIELDS,
      sequence,
      sourceAddrTon: destination.ton,
      sourceAddrNpi: destination.npi,
      sourceAddr: destination.address,
      destAddrTon: source.ton,
      destAddrNpi: source.npi,
      destinationAddr: source.address,
      esmClass: ESM_CLASS_RECEIPT,
      shortMessage: hasText ? Buffer.from(this.#writeText(), 'latin1') : NO_BYTES,
      tlvs: this.#content === 'text' ? NO_TLVS : this.#writeTlvs()
    }
  }

  /** Appendix B. */
  #writeText(): string {
    const { submittedAt, preview, habits } = this.#segment
    const isDelivered = this.#word === 'DELIVRD'
    const errorCode = isDelivered ? '000' : (habits.failure?.errorCode ?? '000')
    const dates = `submit date:${writeDate(submittedAt)} done date:${writeDate(this.#doneAt)}`
    return `id:${this.#id} sub:001 dlvrd:${isDelivered ? '001' : '000'} ${dates} stat:${this.#word} err:${errorCode} text:${preview}`
  }

  /** Paragraphs 5.3.2.12 and 5.3.2.35. A state that the specification does not know has no number. */
  #writeTlvs(): Tlvs {
    const tlvs = new Map([[TLV_TAGS.receipted_message_id as number, Buffer.from(`${this.#id}\0`, 'latin1')]])
    const state = MESSAGE_STATES[this.#word]
    if (state !== undefined) tlvs.set(TLV_TAGS.message_state, Buffer.of(state))
    return tlvs
  }
}

const NO_BYTES: Buffer = Buffer.alloc(0)

/** The common fields of every deliver_sm. */
export const DELIVERY_FIELDS = {
  command: 'deliver_sm',
  status: 0,
  serviceType: '',
  protocolId: 0,
  priorityFlag: 0,
  scheduleDeliveryTime: '',
  validityPeriod: '',
  registeredDelivery: 0,
  replaceIfPresentFlag: 0,
  dataCoding: 0,
  smDefaultMsgId: 0
} as const

let writtenMinute = -1
let writtenDate = ''

/** YYMMDDhhmm. Caches the last minute, which nearly all receipts share. */
function writeDate(time: number): string {
  const minute = Math.floor(time / 60_000)
  if (minute !== writtenMinute) {
    writtenMinute = minute
    writtenDate = new Date(time).toISOString().replaceAll(/\D/g, '').slice(2, 12)
  }
  return writtenDate
}
