import { insufficientCredits, invalidInput, REFUSAL_CODES, type RefusalCode, type RefusalDetails } from '../errors.ts'
import { mayRefuseForms } from './answer-forms.ts'
import { CHALLENGE } from './error-answers.ts'
import type { Operation } from './operation.ts'

/* The errors of an operation, as the OpenAPI document shows them. */

type Json = Record<string, unknown>

export const ANSWER_HEADERS = {
  'x-request-id': { description: 'Names this request in our log.', schema: { type: 'string' } }
}
const RETRY_AFTER_HEADER = { description: 'Seconds to wait before asking again.', schema: { type: 'integer' } }

/** Whether an operation takes an Idempotency-Key. */
export function takesKey({ method, callback }: Operation): boolean {
  return method !== 'GET' && !callback
}

/** The error answers of an operation, by their status. */
export function describeRefusals(operation: Operation): Json {
  const statuses = new Map<number, [RefusalCode, string][]>()
  for (const [code, when] of Object.entries(refusalsOf(operation)) as [RefusalCode, string][]) {
    const status = REFUSAL_CODES[code]
    statuses.set(status, [...(statuses.get(status) ?? []), [code, when]])
  }
  return Object.fromEntries(
    [...statuses].sort().map(([status, reasons]) => [status, describeRefusal(status, reasons, operation)])
  )
}

/** The refusals of an operation: most follow from its form, the others it lists itself. */
function refusalsOf(operation: Operation): Partial<Record<RefusalCode, string>> {
  const isWrite = operation.method !== 'GET'
  return {
    ...((operation.body || operation.query || isWrite) && {
      invalid_input: 'The input is not valid; `details` names each field.'
    }),
    ...(!operation.isOpen && {
      unauthorized: 'The credentials are missing or wrong.',
      account_suspended: 'The account is suspended or closed; the sentence says why.'
    }),
    ...(!operation.isOpen && { rate_limited: 'The account has a limit of requests a second, and asked more often.' }),
    ...(operation.permission !== 'any' && {
      forbidden: `The role or the key does not have the permission \`${operation.permission}\`.`
    }),
    ...(operation.path.includes('{') && { not_found: 'It is not there, or not this account’s.' }),
    ...(mayRefuseForms(operation) && {
      not_acceptable: 'The `Accept` header names none of the forms that the answer has.'
    }),
    ...(takesKey(operation) && {
      state_conflict: 'The Idempotency-Key was used for another request, or that request still runs.'
    }),
    ...(isWrite && { payload_too_large: `The body is larger than ${operation.bodyBytesMax / 1024} KiB.` }),
    ...(isWrite && {
      unsupported_media_type: operation.file
        ? 'The body is not multipart/form-data, or is compressed.'
        : 'The body is neither JSON nor a form, or is compressed.'
    }),
    internal: 'Something went wrong on our side.',
    unavailable: 'Overloaded, stopping, or without its database; `retry-after` says when to ask again.',
    ...operation.refusals
  }
}

function describeRefusal(status: number, reasons: [RefusalCode, string][], operation: Operation): Json {
  const isTemporary = status === 429 || status === 503
  return {
    description: reasons.map(([code, when]) => `\`${code}\`: ${when}`).join('\n\n'),
    headers: {
      ...ANSWER_HEADERS,
      ...(isTemporary && { 'retry-after': RETRY_AFTER_HEADER }),
      ...(status === 401 && { 'www-authenticate': challengeHeader(operation.callback?.challenge ?? CHALLENGE) })
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(
          reasons.map(([code, when]) => [code, { value: exampleOf({ status, code, when }, operation) }])
        )
      }
    }
  }
}

function exampleOf({ status, code, when }: { status: number; code: RefusalCode; when: string }, operation: Operation) {
  const { message: error, details } = EXAMPLES[code]?.(operation) ?? { message: when }
  return {
    status,
    error,
    code,
    ...(details && { details }),
    request_id: 'b3b0f6a2-5c9e-4f0e-9a3f-0d6d3c1b2a10'
  }
}

/** Refusals as they are really worded; the others are shown by the sentence that says when they come. */
const EXAMPLES: Partial<
  Record<RefusalCode, (operation: Operation) => { message: string; details?: RefusalDetails | undefined }>
> = {
  invalid_input: ({ body, query }) =>
    invalidInput([{ path: firstField(body) ?? firstField(query) ?? '', message: 'is missing' }]),
  insufficient_credits: () => insufficientCredits({ required: 11, remaining: 4 }, 'SMS'),
  // Clients compare this sentence to the letter.
  external_id_already_processed: () => ({ message: 'External ID already processed' }),
  second_factor_required: () => ({
    message: 'This account needs a second factor: send otp, a code, or webauthn.',
    details: [{ factor: 'totp' }, { factor: 'recovery' }]
  })
}

/** A field of a schema, a required one if it has any. */
function firstField(schema: object | undefined): string | undefined {
  const { required = [], properties = {} } = (schema ?? {}) as { required?: string[]; properties?: object }
  return required[0] ?? Object.keys(properties)[0]
}

function challengeHeader(challenge: string): Json {
  return {
    description: 'The credentials that are taken (RFC 9110, 11.6.1).',
    schema: { type: 'string', const: challenge }
  }
}
