import type { FastifyRequest } from 'fastify'
import { type Callback, REPORTS } from '../callbacks/callback.ts'
import { databaseNowMs } from '../database/clock.ts'
import type { InputProblem, Refusal } from '../errors.ts'
import { Arguments } from './arguments.ts'
import { type Door, type DoorAnswer, DoorRefusal, type DoorRequest, type DoorRoute, rejected } from './door.ts'
import { CALLBACK_PATH, type DoorFields, type DoorSend, NUMBERS_PATH, sendThroughDoor } from './send-through-door.ts'
import { decodeText, decodeUtf8OrLatin1 } from './texts.ts'

/*
 * The door of Kannel: /cgi-bin/sendsms of its smsbox, version 1.4.5. The answers are those that it writes, in the order
 * in which it checks its arguments. docs/doors.md tells the differences.
 */

export const kannel: Door = {
  name: 'kannel',
  routes: (parts) => [
    {
      id: 'kannelSendsms',
      methods: ['GET', 'POST'],
      path: '/cgi-bin/sendsms',
      permission: 'send',
      readArguments,
      credentials: { username: ['username', 'user'], password: ['password', 'pass'] },
      async handle(request) {
        await sendThroughDoor(parts, request, readSendsms(request))
        return { status: 202, body: '0: Accepted for delivery', type: 'text/plain' }
      },
      refuse
    } satisfies DoorRoute
  ]
}

/** The headers of a POST with the text in its body, and the arguments that they stand for. */
const HEADERS: Readonly<Record<string, string>> = {
  'x-kannel-username': 'username',
  'x-kannel-password': 'password',
  'x-kannel-from': 'from',
  'x-kannel-to': 'to',
  'x-kannel-udh': 'udh',
  'x-kannel-smsc': 'smsc',
  'x-kannel-mclass': 'mclass',
  'x-kannel-mwi': 'mwi',
  'x-kannel-coding': 'coding',
  'x-kannel-compress': 'compress',
  'x-kannel-validity': 'validity',
  'x-kannel-deferred': 'deferred',
  'x-kannel-dlr-mask': 'dlr-mask',
  'x-kannel-dlr-url': 'dlr-url',
  'x-kannel-account': 'account',
  'x-kannel-pid': 'pid',
  'x-kannel-alt-dcs': 'alt-dcs',
  'x-kannel-rpi': 'rpi',
  'x-kannel-priority': 'priority'
}

/** Of the query; of a POST, of a form, or of headers beside a text. Kannel itself takes no form. */
function readArguments(request: FastifyRequest): Arguments {
  if (request.method === 'GET') return Arguments.ofQuery(request.url)
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const [type = '', ...parameters] = (request.headers['content-type'] ?? 'text/plain').split(';')
  const kind = type.trim().toLowerCase()
  if (kind === 'application/x-www-form-urlencoded') return Arguments.ofForm(body.toString('latin1'))
  if (kind !== 'text/plain' && kind !== 'application/octet-stream') throw rejected('Invalid content-type')
  const given = new Arguments()
  for (const [header, name] of Object.entries(HEADERS)) {
    const value = request.headers[header]
    if (typeof value !== 'string') continue
    given.add(name, name === 'udh' ? Buffer.from(value, 'hex') : Buffer.from(value, 'latin1'))
  }
  given.add('text', body)
  const charset = parameters.map((each) => /^\s*charset="?([^"]*)"?\s*$/i.exec(each)?.[1]).find(Boolean)
  if (charset) given.add('charset', Buffer.from(charset))
  if (kind === 'application/octet-stream') given.add('coding', Buffer.from('1'))
  if (!given.has(NUMBERS_PATH)) given.add(NO_NUMBERS, Buffer.alloc(0))
  return given
}

/** Marks a POST without numbers, for which Kannel has a sentence of its own. No client can name it. */
const NO_NUMBERS = '\0'

/** What a number may hold: `sendsms-chars` of Kannel. */
const NUMBER = /^[0-9 +-]+$/
const UDH_OCTETS_MAX = 140
const ACCOUNT_LENGTH_MAX = 64
const CODINGS = { gsm: 0, binary: 1, ucs2: 2 }
/** Above all reports that Kannel knows, 66 among them. */
const MASK_MAX = 66
/** Chappe keeps a message for no longer. */
const VALIDITY_MINUTES_MAX = 7 * 24 * 60

/** Reads the arguments, and refuses them in Kannel's order and words. */
function readSendsms({ given }: DoorRequest): DoorSend {
  if (given.has(NO_NUMBERS)) throw rejected('Missing receiver(s) number(s), rejected')
  const to = given.text(NUMBERS_PATH)
  if (to === undefined) throw rejected('Missing receiver number, rejected')
  if (to === '') throw rejected('Empty receiver number not allowed, rejected')
  const udh = given.bytes('udh') ?? Buffer.alloc(0)
  if (udh.length > 0 && udh[0] !== udh.length - 1) throw rejected('UDH field misformed, rejected')
  if (udh.length > UDH_OCTETS_MAX) throw rejected('UDH field is too long, rejected')
  const numbers = to.split(/\s+/).filter((number) => NUMBER.test(number))
  if (numbers.length === 0) throw rejected(ALL_DENIED)
  const account = given.text('account') ?? ''
  if (account.length > ACCOUNT_LENGTH_MAX || /[[\]\r\n]/.test(account)) {
    throw rejected('Account field misformed or too long, rejected')
  }
  const url = given.text('dlr-url', 'dlrurl') ?? ''
  if (url !== '' && !/^https?:\/\/./i.test(url)) throw rejected(BAD_URL)
  const mask = readInteger(given, ['dlr-mask', 'dlrmask'], { max: MASK_MAX, name: 'DLR-Mask' })
  const mclass = readInteger(given, ['mclass'], { max: 3, name: 'MClass' })
  readInteger(given, ['pid'], { max: 255, name: 'PID' })
  readInteger(given, ['rpi'], { max: 2, name: 'RPI' })
  readInteger(given, ['alt-dcs'], { max: 1, name: 'Alt-DCS' })
  readInteger(given, ['mwi'], { max: 7, name: 'MWI' })
  const coding = readInteger(given, ['coding'], { max: 2, name: 'Coding' })
  readInteger(given, ['compress'], { max: 1, name: 'Compress' })
  const validity = readInteger(given, ['validity'], { name: 'Validity' })
  const deferred = readInteger(given, ['deferred'], { name: 'Deferred' })
  const priority = readInteger(given, ['priority'], { max: 3, name: 'Priority' })
  const from = given.text('from') ?? ''
  const fields: DoorFields = {
    ...readText(given, { coding: coding ?? (udh.length > 0 ? CODINGS.binary : CODINGS.gsm), udh }),
    ...(from !== '' && { sender: from }),
    ...(mclass === 0 && { flash: true }),
    ...(validity !== undefined && { validity: Math.max(1, Math.min(validity, VALIDITY_MINUTES_MAX) * 60) }),
    ...(deferred !== undefined && { scheduleAt: minutesFromNow(deferred) }),
    ...(priority !== undefined && priority > 0 && { priority: 'high' })
  }
  const service = given.text('username', 'user') ?? ''
  return { fields, numbers, callback: toCallback({ url, mask: mask ?? 0, fields: { service, account } }) }
}

/** Undefined when no report is asked for, or no address is given. */
function toCallback({ url, mask, fields }: Pick<Callback, 'url' | 'mask' | 'fields'>): DoorSend['callback'] {
  const reports = mask & (REPORTS.delivered | REPORTS.undelivered | REPORTS.accepted | REPORTS.refused)
  return url === '' || reports === 0 ? undefined : { door: 'kannel', url, method: 'GET', mask: reports, fields }
}

/** As scanf reads a number: what is none counts as absent. Below -1, or above the bound, it is refused. */
function readInteger(
  given: Arguments,
  names: string[],
  { max = Number.POSITIVE_INFINITY, name }: { max?: number; name: string }
): number | undefined {
  const digits = /^\s*([+-]?\d{1,9})/.exec(given.text(...names) ?? '')?.[1]
  if (digits === undefined) return undefined
  const value = Number(digits)
  if (value < -1 || value > max) throw rejected(`${name} field misformed, rejected`)
  return value === -1 ? undefined : value
}

/** The text, or the octets of a binary message, by the coding. */
function readText(
  given: Arguments,
  { coding, udh }: { coding: number; udh: Buffer }
): Pick<DoorFields, 'content' | 'binary'> {
  const bytes = given.bytes('text') ?? Buffer.alloc(0)
  // A phone would show octets of a text as noise, and the parts of a long text are made here.
  if (udh.length > 0 && coding !== CODINGS.binary) throw rejected('UDH field beside a text, rejected')
  if (coding === CODINGS.binary) {
    return { binary: { data: bytes.toString('hex'), ...(udh.length > 0 && { udh: udh.toString('hex') }) } }
  }
  const read = decode(bytes, given.text('charset')?.trim() ?? '', coding)
  if (read === undefined) throw rejected('Charset or body misformed, rejected')
  return { content: read }
}

/** Without a character set, UCS-2 is as a phone gets it. A text that claims to be UTF-8 and is none may be Latin-1. */
function decode(bytes: Buffer, charset: string, coding: number): string | undefined {
  if (charset === '' && coding === CODINGS.ucs2) return decodeText(bytes, 'utf-16be')
  return charset === '' || /^utf-?8$/i.test(charset) ? decodeUtf8OrLatin1(bytes) : decodeText(bytes, charset)
}

/** A year is the most, and the send says so. */
function minutesFromNow(minutes: number): string {
  return new Date(Math.min(databaseNowMs() + minutes * 60_000, LAST_TIME_MS)).toISOString()
}

const LAST_TIME_MS = Date.UTC(9999, 0)

const ALL_DENIED = 'Number(s) has/have been denied by white- and/or black-lists.'
const BAD_URL = 'DLR-URL field misformed, rejected'

/** Kannel's sentence where it has one, else our own with a status of Kannel. */
function refuse(refusal: Refusal): DoorAnswer {
  const { status, body } = toAnswer(refusal)
  return { status, body, type: 'text/plain' }
}

function toAnswer(refusal: Refusal): Pick<DoorAnswer, 'status' | 'body'> {
  const { status, code, message } = refusal
  if (refusal instanceof DoorRefusal) return { status, body: message }
  if (code === 'sender_not_allowed') return { status: 400, body: message }
  if (status === 401 || status === 403) return { status: 403, body: 'Authorization failed for sendsms' }
  if (status === 429 || status >= 500) return { status: 503, body: 'Temporal failure, try again later.' }
  if (status === 402) return { status: 403, body: message }
  const [problem] = (refusal.details ?? []) as InputProblem[]
  if (code === 'invalid_input' && problem?.path === NUMBERS_PATH) return { status: 400, body: ALL_DENIED }
  if (code === 'invalid_input' && problem?.path === CALLBACK_PATH) return { status: 400, body: BAD_URL }
  return { status: 400, body: message }
}
