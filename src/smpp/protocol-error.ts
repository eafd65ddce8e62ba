import type { KnownPdu } from './pdu.ts'

/** A PDU that can't be read. */
export class ProtocolError extends Error {
  /** Of the PDU, to settle the request that it answers. 0 when the header makes no sense. */
  readonly sequence: number
  readonly commandId: number
  /** What to send back, if anything: an answer is not answered. */
  readonly answer: KnownPdu | undefined
  /** The start of the next PDU is unknown: answer, then close. The reader gives nothing but this error from here on. */
  readonly isFatal: boolean

  constructor(reason: string, wrong: Pick<ProtocolError, 'sequence' | 'commandId' | 'answer' | 'isFatal'>) {
    super(reason)
    this.name = 'ProtocolError'
    this.sequence = wrong.sequence
    this.commandId = wrong.commandId
    this.answer = wrong.answer
    this.isFatal = wrong.isFatal
  }
}
