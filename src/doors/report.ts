import { REPORTS } from '../callbacks/callback.ts'
import type { TakenReport } from '../callbacks/callbacks.store.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import type { Post } from '../webhooks/post.ts'
import type { ReportedRecipient } from './reports.store.ts'

/** A report with all that it tells. */
export interface FullReport {
  report: TakenReport
  recipient: ReportedRecipient
}

/** A call that tells a report, and whether its answer says that the report has arrived. */
export interface ReportCall {
  url: string
  post: Post
  /** Undefined: any answer of success does. */
  isAcknowledged?(body: string): boolean
}

export const USER_AGENT = 'Chappe'

const WORDS: Readonly<Record<number, string>> = {
  [RECIPIENT_STATES.delivered]: 'DELIVRD',
  [RECIPIENT_STATES.failed]: 'UNDELIV',
  [RECIPIENT_STATES.expired]: 'EXPIRED',
  [RECIPIENT_STATES.rejected]: 'REJECTD',
  [RECIPIENT_STATES.cancelled]: 'DELETED',
  [RECIPIENT_STATES.stopped]: 'DELETED'
}

/** The status word of SMPP. */
export function wordOf({ report: { state }, recipient: { receipt } }: FullReport): string {
  return /^[A-Z]{4,7}\b/.exec(receipt ?? '')?.[0] ?? WORDS[state] ?? 'UNKNOWN'
}

/** The error number of the carrier, in three digits. */
export function errorNumberOf({ recipient: { receipt, errorCode } }: FullReport): string {
  const found = /\berr:(\w{1,8})/.exec(receipt ?? '')?.[1] ?? /^\w{1,3}$/.exec(errorCode ?? '')?.[0] ?? '0'
  return found.padStart(3, '0')
}

export function carrierMessageIdOf({ recipient: { carrierMessageIds } }: FullReport): string {
  return carrierMessageIds?.[0] ?? ''
}

/** YYMMDDhhmm in UTC, as receipts of SMPP have it. */
export function receiptTime(time: Date | null): string {
  return time === null ? '' : time.toISOString().replaceAll(/\D/g, '').slice(2, 12)
}

/** The first characters of a text, as receipts have them. */
export function beginningOf({ recipient: { content } }: FullReport): string {
  return [...content].slice(0, 20).join('')
}

export function isDelivered({ report: { report } }: FullReport): boolean {
  return report === REPORTS.delivered
}
