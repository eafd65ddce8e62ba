/** What is wrong when a carrier refuses, in words that are the same for all of them. */
export type RefusalClass =
  | 'throttled'
  | 'number'
  | 'sender'
  | 'content'
  | 'access'
  | 'unreachable'
  | 'carrier'
  | 'other'

const SMPP: Readonly<Record<string, RefusalClass>> = {
  ESME_RTHROTTLED: 'throttled',
  ESME_RMSGQFUL: 'throttled',
  ESME_RINVDSTADR: 'number',
  ESME_RINVDSTTON: 'number',
  ESME_RINVDSTNPI: 'number',
  ESME_RINVNUMDESTS: 'number',
  ESME_RINVSRCADR: 'sender',
  ESME_RINVSRCTON: 'sender',
  ESME_RINVSRCNPI: 'sender',
  ESME_RINVMSGLEN: 'content',
  ESME_RINVDCS: 'content',
  ESME_RINVESMCLASS: 'content',
  ESME_RINVDFTMSGID: 'content',
  ESME_RINVEXPIRY: 'content',
  ESME_RINVSCHED: 'content',
  ESME_RINVPASWD: 'access',
  ESME_RINVSYSID: 'access',
  ESME_RINVSYSTYP: 'access',
  ESME_RINVSERTYP: 'access',
  ESME_RINVBNDSTS: 'access',
  ESME_RBINDFAIL: 'access',
  ESME_RSYSERR: 'carrier',
  ESME_RSUBMITFAIL: 'carrier',
  ESME_RX_T_APPN: 'carrier',
  ESME_RX_P_APPN: 'carrier',
  ESME_RX_R_APPN: 'carrier',
  ESME_RDELIVERYFAILURE: 'carrier',
  ESME_RUNKNOWNERR: 'carrier',
  too_long: 'content',
  binary_unsupported: 'content'
}

const ACCESS = new Set([401, 402, 403, 407])
const CONTENT = new Set([400, 413, 422])

/**
 * The class of a refusal, by the reason of its outcome: the name of an SMPP status, or an HTTP status with or without words
 * behind it. A provider's own code says nothing to us: `other`.
 */
export function refusalClass(reason: string): RefusalClass {
  const known = Object.hasOwn(SMPP, reason) ? SMPP[reason] : undefined
  if (known) return known
  const status = Number(/^(?:HTTP )?([1-5]\d\d)(?: |$)/.exec(reason)?.[1] ?? 0)
  if (status === 429) return 'throttled'
  if (ACCESS.has(status)) return 'access'
  if (CONTENT.has(status)) return 'content'
  return status >= 500 ? 'carrier' : 'other'
}
