/** The statuses a refusal may have, and the stable code that a program finds beside each. */
export const REFUSAL_CODES = {
  invalid_input: 400,
  /** The price list of the account has no price for any of the numbers. */
  no_price: 400,
  unauthorized: 401,
  /** Also a 403, of a session that may only set up a second factor. */
  second_factor_required: 401,
  insufficient_credits: 402,
  forbidden: 403,
  account_suspended: 403,
  /** The sender register does not let the account use this sender. */
  sender_not_allowed: 403,
  not_found: 404,
  /** The `Accept` header names none of the forms of the answer. */
  not_acceptable: 406,
  external_id_already_processed: 409,
  state_conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  limit_reached: 429,
  internal: 500,
  unavailable: 503
} as const

export type RefusalCode = keyof typeof REFUSAL_CODES

/** One field of the input and what is wrong with it. */
export interface InputProblem {
  path: string
  message: string
}

/** The details of a 402: the credits that are missing. */
export interface CreditShortage {
  required: number
  remaining: number
  missing: number
}

export type FactorKind = 'totp' | 'passkey' | 'recovery'

/** The details of a log-in that needs a second factor: the kinds that the person has. */
export interface FactorChoice {
  factor: FactorKind
}

export type RefusalDetails = InputProblem[] | CreditShortage[] | FactorChoice[]

/** The one error that a caller may see. Any other error is a bug, and is answered with a 500 without its message. */
export class Refusal extends Error {
  readonly status: number
  readonly code: RefusalCode
  readonly details: RefusalDetails | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    status: number,
    code: RefusalCode,
    sentence: string,
    extra: { details?: RefusalDetails; retryAfterSeconds?: number } = {}
  ) {
    super(sentence)
    this.name = 'Refusal'
    this.status = status
    this.code = code
    this.details = extra.details
    this.retryAfterSeconds = extra.retryAfterSeconds
  }
}

/** Whether asking again would be refused again: what was asked is at fault, not the service. */
export function isFinalRefusal(error: unknown): error is Refusal {
  return error instanceof Refusal && error.status < 500
}

/** A 400 that names each field at fault. The sentence repeats the first one: some callers show nothing else. */
export function invalidInput(problems: InputProblem[]): Refusal {
  const [first] = problems
  const sentence = first
    ? `The request is not valid: ${first.path === '' ? 'the body' : first.path} ${first.message}.`
    : 'The request is not valid.'
  return new Refusal(400, 'invalid_input', sentence, { details: problems })
}

/** A problem that only one recipient has; the example stays at its end. */
export function problemFor(message: string, number: string): string {
  const [what = message, ...example] = message.split(/(?=, such as )/)
  return `${what} for ${number}${example.join('')}`
}

export function notFound(what: string): Refusal {
  return new Refusal(404, 'not_found', `There is no such ${what}.`)
}

/** `type` is the type of the credits: SMS or RCS. */
export function insufficientCredits(
  { required, remaining }: { required: number; remaining: number },
  type: 'SMS' | 'RCS'
): Refusal {
  const missing = required - remaining
  return new Refusal(
    402,
    'insufficient_credits',
    `This takes ${creditsInWords(required, type)}; the balance is ${remaining}.`,
    { details: [{ required, remaining, missing }] }
  )
}

export function creditsInWords(count: number, type: 'SMS' | 'RCS'): string {
  return `${count} ${type} ${count === 1 ? 'credit' : 'credits'}`
}

/** A reason not to start, in a sentence for the operator. */
export class CannotStart extends Error {}
