import { REPORTS } from '../callbacks/callback.ts'
import { toUuid } from './message-uuid.ts'
import {
  beginningOf,
  carrierMessageIdOf,
  errorNumberOf,
  type FullReport,
  isDelivered,
  type ReportCall,
  receiptTime,
  USER_AGENT,
  wordOf
} from './report.ts'

/* Delivery reports as Jasmin makes them: a form, or a query, which the receiver must answer with `ACK/Jasmin`. */

const FORM_TYPE = 'application/x-www-form-urlencoded'

export function toJasminCall(full: FullReport): ReportCall {
  const { url, method } = full.report
  const values = new URLSearchParams(isOfCarrier(full) ? answerOf(full) : receiptOf(full)).toString()
  const headers = { accept: 'text/plain', 'user-agent': USER_AGENT }
  const isAcknowledged = (body: string) => body.trim() === 'ACK/Jasmin'
  if (method === 'POST') {
    return { url, isAcknowledged, post: { method, headers: { ...headers, 'content-type': FORM_TYPE }, body: values } }
  }
  return { url: withQuery(url, values), isAcknowledged, post: { method, headers, body: '' } }
}

function isOfCarrier({ report: { report } }: FullReport): boolean {
  return report === REPORTS.accepted || report === REPORTS.refused
}

/** Level 1: the carrier's answer. */
function answerOf(full: FullReport): Record<string, string> {
  const { errorCode } = full.recipient
  const isAccepted = full.report.report === REPORTS.accepted
  const status = errorCode?.startsWith('ESME_') ? errorCode : 'ESME_RSUBMITFAIL'
  return { ...commonOf(full, 1), message_status: isAccepted ? 'ESME_ROK' : status }
}

/** Level 2: the carrier's receipt. */
function receiptOf(full: FullReport): Record<string, string> {
  return {
    ...commonOf(full, 2),
    message_status: wordOf(full),
    id_smsc: carrierMessageIdOf(full),
    sub: '001',
    dlvrd: isDelivered(full) ? '001' : '000',
    subdate: receiptTime(full.recipient.sentAt),
    donedate: receiptTime(full.report.reportedAt),
    err: errorNumberOf(full),
    text: beginningOf(full)
  }
}

function commonOf({ report, recipient }: FullReport, level: number): Record<string, string> {
  return { id: toUuid(report), level: String(level), connector: recipient.carrier ?? '' }
}

/** Before the fragment, which is not sent. */
function withQuery(url: string, values: string): string {
  const [address = ''] = url.split('#', 1)
  return `${address}${address.includes('?') ? '&' : '?'}${values}`
}
