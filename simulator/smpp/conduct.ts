import type { TextEncoding } from '../../src/smpp/alphabets.ts'
import { STATUSES } from '../../src/smpp/commands.ts'
import { NONE, type Some } from '../faults/some.ts'
import type { IdForm } from './message-ids.ts'

/** How the carrier behaves: everything that a fault rule can change. */
export interface Conduct {
  isSilent: boolean
  answerDelayMs: number
  areAnswersHeld: boolean
  /** Answers go out in groups of this many, the last first. */
  answersReordered: number
  droppedAnswers: Some
  answerCopies: number
  /** 0 is no limit. */
  submitsPerSecondMax: number
  /** Whether the rate counts by the second of the clock, instead of by a bucket that fills evenly. */
  isRateByTheSecond: boolean
  /** The share of submits to throttle, whatever their rate: from 0 to 1. */
  throttledShare: number
  refusedSubmits: Some & { status: number }
  /** The position, from 1, of the segment to refuse in each long message; 0 for none. */
  refusedPart: { position: number; status: number }
  refusedBinds: Some & { status: number }
  /** Whether each client may have one session only, or one transmitter and one receiver. */
  isOneSessionOnly: boolean
  /** A session that was cut without an unbind still counts as bound for this long. */
  ghostMs: number
  idForm: IdForm
  receiptIdForm: IdForm | 'same'
  /** The next message id, when a rule sets it. */
  nextId: number
  areReceiptsBeforeAnswers: boolean
  receiptDelayMs: number
  areReceiptsHeld: boolean
  droppedReceipts: Some
  receiptCopies: number
  areReceiptsOnAnotherBind: boolean
  receiptContent: 'text' | 'tlvs' | 'both'
  /** The states of the receipts of each message, in this order; empty for the true state. */
  receiptWords: readonly string[]
  /** The alphabet of data_coding 0. */
  alphabet: Exclude<TextEncoding, 'ucs2'>
  replySplit: ReplySplit
  areReplyPartsReversed: boolean
  replyPartCopies: number
  /** The position, from 1, of the reply segment to drop; 0 for none. */
  droppedReplyPart: number
}

export type ReplySplit = 'udh' | 'udh16' | 'sar' | 'payload'

/** The conduct without faults: rules change it, and `behave` restores it. */
export const GOOD_CONDUCT: Readonly<Omit<Conduct, 'nextId'>> = {
  isSilent: false,
  answerDelayMs: 0,
  areAnswersHeld: false,
  answersReordered: 1,
  droppedAnswers: NONE,
  answerCopies: 1,
  submitsPerSecondMax: 0,
  isRateByTheSecond: false,
  throttledShare: 0,
  refusedSubmits: { ...NONE, status: STATUSES.ESME_ROK },
  refusedPart: { position: 0, status: STATUSES.ESME_ROK },
  refusedBinds: { ...NONE, status: STATUSES.ESME_ROK },
  isOneSessionOnly: false,
  ghostMs: 0,
  idForm: 'dec',
  receiptIdForm: 'same',
  areReceiptsBeforeAnswers: false,
  receiptDelayMs: 0,
  areReceiptsHeld: false,
  droppedReceipts: NONE,
  receiptCopies: 1,
  areReceiptsOnAnotherBind: false,
  receiptContent: 'both',
  receiptWords: [],
  alphabet: 'gsm',
  replySplit: 'udh',
  areReplyPartsReversed: false,
  replyPartCopies: 1,
  droppedReplyPart: 0
}
