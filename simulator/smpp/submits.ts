import { STATUSES } from '../../src/smpp/commands.ts'
import type { MessagePdu } from '../../src/smpp/pdu.ts'
import type { Delays } from '../delays.ts'
import { digitsOf, habitsOf, type PhoneHabits } from '../phones/magic-numbers.ts'
import type { Phones } from '../phones/phones.ts'
import type { AcceptedLog } from './accepted-log.ts'
import { Answers } from './answers.ts'
import type { FaultState } from './fault-state.ts'
import { readSegment, type Segment, type SegmentBytes } from './long-messages.ts'
import { writeId } from './message-ids.ts'
import { type AcceptedSegment, Receipts } from './receipts.ts'
import type { SmscSession } from './smsc-session.ts'
import type { SmscStats } from './stats.ts'
import type { SystemAccount } from './system-account.ts'

/** A person takes a moment to reply, and the answer to the submit should come first. */
const REPLY_DELAY_MS = 300
const PREVIEW_CHARACTERS = 20

interface SubmitParts {
  faults: FaultState
  delays: Delays
  stats: SmscStats
  phones: Phones
  accepted: AcceptedLog
}

/** Decides on each submit: accepts or refuses it, passes it to the phone, answers it and sends its receipt. */
export class Submits {
  readonly answers: Answers
  readonly receipts: Receipts
  readonly #parts: SubmitParts
  /** Magic numbers whose last submit was throttled: 100 at most. */
  readonly #throttled = new Set<string>()
  readonly #waitingMax: number
  #nextId: number

  constructor(parts: SubmitParts, { nextId, waitingMax }: { nextId: number; waitingMax: number }) {
    this.#parts = parts
    this.#nextId = nextId
    this.#waitingMax = waitingMax
    this.answers = new Answers(parts)
    this.receipts = new Receipts(parts)
  }

  goOnFrom(id: number): void {
    this.#nextId = id
  }

  handle(session: SmscSession, pdu: MessagePdu): void {
    const { faults, stats } = this.#parts
    stats.submits++
    const content = readSegment(pdu)
    const digits = digitsOf(pdu.destinationAddr)
    const habits = habitsOf(digits)
    const { account } = session
    const status =
      account && session.canSubmit ? this.#check(account, habits, digits, content) : STATUSES.ESME_RINVBNDSTS
    if (account && status === STATUSES.ESME_ROK) this.#accept({ session, account, pdu, content, habits, digits })
    else this.#refuse(session, pdu.sequence, status)
    faults.count(session)
  }

  #refuse(session: SmscSession, sequence: number, status: number): void {
    const { stats } = this.#parts
    if (status === STATUSES.ESME_RTHROTTLED) stats.throttled++
    else stats.refused++
    this.answers.send({ session, sequence, status, messageId: '', afterwards: undefined })
  }

  #check(account: SystemAccount, habits: PhoneHabits, digits: string, { segment }: SegmentBytes): number {
    const { faults } = this.#parts
    if (!faults.takeToken()) return STATUSES.ESME_RTHROTTLED
    if (faults.picks('refusedSubmits')) return faults.conduct.refusedSubmits.status
    const { refusedPart } = faults.conduct
    if (segment && segment.position === refusedPart.position) return refusedPart.status
    if (habits.refusal !== undefined) return habits.refusal
    if (habits.isThrottledAtFirst && this.#isFirstTry(digits, segment)) return STATUSES.ESME_RTHROTTLED
    return this.#countWaiting(account) < this.#waitingMax ? STATUSES.ESME_ROK : STATUSES.ESME_RMSGQFUL
  }

  #countWaiting(account: SystemAccount): number {
    const { heldCount } = this.answers
    return account.waitingCount + heldCount + this.receipts.heldCount + this.#parts.delays.waitingCount
  }

  #isFirstTry(digits: string, segment: Segment | undefined): boolean {
    if (segment && segment.position > 1) return false
    if (this.#throttled.delete(digits)) return false
    this.#throttled.add(digits)
    return true
  }

  #accept(submit: AcceptedSubmit): void {
    const { faults, delays, stats, accepted } = this.#parts
    const { session, pdu, habits } = submit
    stats.accepted++
    accepted.add(submit.digits, submit.content, pdu.dataCoding, faults.conduct.alphabet)
    const id = this.#nextId++
    const messageId = writeId(id, faults.conduct.idForm)
    if (!habits.failure) delays.run(habits.arrivesAfterMs ?? 0, () => this.#arrive(submit, messageId))
    const segment = describeSegment(submit, id)
    const isReceiptFirst = habits.isReceiptFirst || faults.conduct.areReceiptsBeforeAnswers
    if (isReceiptFirst) this.receipts.send(segment)
    this.answers.send({
      session,
      sequence: pdu.sequence,
      status: STATUSES.ESME_ROK,
      messageId,
      afterwards: isReceiptFirst ? undefined : () => this.receipts.send(segment)
    })
  }

  #arrive({ account, pdu, content, habits, digits }: AcceptedSubmit, carrierMessageId: string): void {
    const { faults, delays, phones } = this.#parts
    const isWhole = phones.receive({
      from: pdu.sourceAddr,
      to: digits,
      bytes: content.bytes,
      dataCoding: pdu.dataCoding,
      defaultEncoding: faults.conduct.alphabet,
      segment: content.segment,
      carrierMessageId,
      answer: account.sendReply
    })
    const { reply } = habits
    if (!isWhole || reply === undefined) return
    delays.run(REPLY_DELAY_MS, () => account.sendReply({ from: digits, to: pdu.sourceAddr, content: reply }))
  }
}

interface AcceptedSubmit {
  session: SmscSession
  account: SystemAccount
  pdu: MessagePdu
  content: SegmentBytes
  habits: PhoneHabits
  digits: string
}

function describeSegment({ session, account, pdu, content, habits }: AcceptedSubmit, id: number): AcceptedSegment {
  return {
    id,
    account,
    session,
    habits,
    submittedAt: Date.now(),
    preview: previewOf(content.bytes),
    registeredDelivery: pdu.registeredDelivery,
    source: { ton: pdu.sourceAddrTon, npi: pdu.sourceAddrNpi, address: pdu.sourceAddr },
    destination: { ton: pdu.destAddrTon, npi: pdu.destAddrNpi, address: pdu.destinationAddr }
  }
}

/** SMPP 3.4, appendix B: the first 20 characters. Receipts are ASCII, so other characters become dots. */
function previewOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, PREVIEW_CHARACTERS).replaceAll(/[^ -~]/g, '.')
}
