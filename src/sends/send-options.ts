import Type, { type Static } from 'typebox'
import { type InputProblem, invalidInput } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { refuseWithout } from '../http/permission.ts'
import type { Category } from '../messages/message.ts'
import type { BinaryContent, MessageOptions } from '../messages/options.ts'

/* The optional fields of a send: how long it is valid, how urgent it is, and what an SMS can be besides a text. */

export const VALIDITY_SECONDS_MAX = 7 * 86_400
/** 3GPP TS 23.040: the user data of one SMS, its header included. */
const BINARY_OCTETS_MAX = 140

/** For every channel. */
export const commonOptionFields = {
  validity: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: VALIDITY_SECONDS_MAX,
      description:
        'For how many seconds after its due time the message may leave, up to 7 days. From then on it expires, and its credits come back. The carrier is told how much of it is left. Default: a day; 3 days for marketing.'
    })
  ),
  priority: Type.Optional(
    Type.Enum(['low', 'normal', 'high'], {
      description:
        'Among the waiting messages of the account: `high` goes before what was queued within the last hour, `low` lets pass what comes within the next hour. Not for marketing. Default: `normal`.'
    })
  )
}

const HEX = { pattern: '^(?:[0-9A-Fa-f]{2})*$', 'x-words': 'octets in hexadecimal, such as 0605040b8423f0' }

/** For SMS alone. */
export const smsOptionFields = {
  ...commonOptionFields,
  flash: Type.Optional(
    Type.Boolean({ description: 'Whether the phone shows the text at once and keeps it nowhere (class 0).' })
  ),
  binary: Type.Optional(
    Type.Object(
      {
        data: Type.String({ minLength: 1, maxLength: 2 * BINARY_OCTETS_MAX, description: 'The octets.' }),
        encoding: Type.Optional(
          Type.Enum(['hex', 'base64'], { description: 'How `data` is written. Default: `hex`.' })
        ),
        udh: Type.Optional(
          Type.String({
            ...HEX,
            maxLength: 2 * BINARY_OCTETS_MAX,
            description: 'The user data header in hexadecimal, with its length in the first octet.'
          })
        )
      },
      {
        $id: 'BinaryDto',
        description:
          'Octets instead of a text: at most 140 with the header, one segment. Needs the permission `binary`. Not with content, model_id, shorturl or flash, and not for marketing.'
      }
    )
  )
}

const SmsOptionFields = Type.Object(smsOptionFields)
export type SmsOptionFields = Static<typeof SmsOptionFields>

/** The options of a send; undefined without any. The validity counts from `departsAt`. */
export function readOptions(
  { validity, priority, flash, binary }: SmsOptionFields,
  { category, departsAt }: { category: Category; departsAt: Date }
): MessageOptions | undefined {
  if (category === 'marketing' && priority !== undefined && priority !== 'normal') {
    throw invalidInput([{ path: 'priority', message: 'must not be given for marketing: it leaves after all others' }])
  }
  const options: MessageOptions = {
    ...(validity !== undefined && { validity, expiresAt: validUntil(departsAt, validity).toISOString() }),
    ...(priority !== undefined && priority !== 'normal' && { priority }),
    ...(flash && { flash }),
    ...(binary && { binary: readBinary(binary) })
  }
  return Object.keys(options).length === 0 ? undefined : options
}

export function validUntil(departsAt: Date, validity: number): Date {
  return new Date(departsAt.getTime() + validity * 1_000)
}

/** Refuses binary data beside what only a text can have, and without the permission for it. */
export function refuseBinaryBeside(
  fields: Pick<SmsOptionFields, 'binary' | 'flash'> & {
    [Path in (typeof NOT_WITH_BINARY)[number] | 'category']?: unknown
  },
  caller: Caller
): void {
  if (!fields.binary) return
  refuseWithout('binary', caller)
  const beside = [...NOT_WITH_BINARY.filter((path) => fields[path] !== undefined), ...(fields.flash ? ['flash'] : [])]
  const problems: InputProblem[] = beside.map((path) => ({ path, message: 'must not be given together with binary' }))
  if (fields.category === 'marketing') {
    problems.push({ path: 'binary', message: 'must not be marketing: binary data can’t tell how to opt out' })
  }
  if (problems.length > 0) throw invalidInput(problems)
}

const NOT_WITH_BINARY = ['content', 'model_id', 'shorturl'] as const

function readBinary({ data, encoding = 'hex', udh = '' }: NonNullable<SmsOptionFields['binary']>): BinaryContent {
  const octets = encoding === 'hex' ? fromHex(data) : fromBase64(data)
  const header = Buffer.from(udh, 'hex')
  if (!isHeader(header)) {
    throw invalidInput([
      { path: 'binary.udh', message: 'must begin with its length and hold whole elements, such as 0605040b8423f0' }
    ])
  }
  const length = header.length + octets.length
  if (length > BINARY_OCTETS_MAX) {
    const message = `has ${length} octets with its header, and ${BINARY_OCTETS_MAX} is the most`
    throw invalidInput([{ path: 'binary.data', message }])
  }
  return { data: octets.toString('hex'), udh: header.toString('hex') }
}

function fromHex(data: string): Buffer {
  if (/^(?:[0-9a-f]{2})+$/i.test(data)) return Buffer.from(data, 'hex')
  throw invalidInput([{ path: 'binary.data', message: 'must be octets in hexadecimal, such as 48656c6c6f' }])
}

function fromBase64(data: string): Buffer {
  const octets = Buffer.from(data, 'base64')
  const isExact = octets.length > 0 && octets.toString('base64').replace(/=+$/, '') === data.replace(/=+$/, '')
  if (isExact) return octets
  throw invalidInput([{ path: 'binary.data', message: 'must be octets in base64, such as SGVsbG8=' }])
}

/** 3GPP TS 23.040, paragraph 9.2.3.24: the length of the rest, then elements of an identifier, a length and data. */
function isHeader(header: Buffer): boolean {
  if (header.length === 0) return true
  if (header[0] !== header.length - 1) return false
  let at = 1
  while (at < header.length) {
    const length = header[at + 1]
    if (length === undefined) return false
    at += 2 + length
  }
  return at === header.length
}
