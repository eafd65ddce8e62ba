import { Refusal, type RefusalCode } from '../errors.ts'
import { STATUSES, type StatusName } from '../smpp/commands.ts'

/*
 * The command_status of every refusal. docs/smpp-server.md shows these tables, and a test compares them.
 */

/** A request that is refused for what its PDU says. */
export class StatusRefusal extends Error {
  readonly status: number

  constructor(name: StatusName, reason: string) {
    super(reason)
    this.name = 'StatusRefusal'
    this.status = STATUSES[name]
  }
}

/** By the field of the request over HTTP that a refusal names first. */
export const STATUSES_BY_FIELD: Readonly<Record<string, StatusName>> = {
  recipients: 'ESME_RINVDSTADR',
  sender: 'ESME_RINVSRCADR',
  'settings.sender': 'ESME_RINVSRCADR',
  content: 'ESME_RINVMSGLEN',
  'binary.data': 'ESME_RINVMSGLEN',
  'binary.udh': 'ESME_RINVESMCLASS',
  binary: 'ESME_RINVDCS',
  scheduleAt: 'ESME_RINVSCHED',
  validity: 'ESME_RINVEXPIRY',
  priority: 'ESME_RINVPRTFLG',
  external_id: 'ESME_RINVOPTPARAMVAL'
}

/** By the code of a refusal, where no field says more. */
export const STATUSES_BY_CODE: Readonly<Partial<Record<RefusalCode, StatusName>>> = {
  insufficient_credits: 'ESME_RSUBMITFAIL',
  sender_not_allowed: 'ESME_RINVSRCADR',
  no_price: 'ESME_RINVDSTADR',
  rate_limited: 'ESME_RTHROTTLED',
  limit_reached: 'ESME_RMSGQFUL',
  unavailable: 'ESME_RSYSERR',
  forbidden: 'ESME_RSUBMITFAIL',
  invalid_input: 'ESME_RSUBMITFAIL'
}

/** Undefined for an error that is no refusal: a bug, or a database that is away. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof StatusRefusal) return error.status
  if (!(error instanceof Refusal)) return undefined
  const field = Array.isArray(error.details) ? (error.details[0] as { path?: string } | undefined)?.path : undefined
  const byField = error.code === 'invalid_input' && field !== undefined ? STATUSES_BY_FIELD[field] : undefined
  return STATUSES[byField ?? STATUSES_BY_CODE[error.code] ?? 'ESME_RSUBMITFAIL']
}
