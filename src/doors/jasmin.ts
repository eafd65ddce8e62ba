import type { FastifyRequest } from 'fastify'
import { REPORTS } from '../callbacks/callback.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { findSpendable } from '../credits/credits.store.ts'
import { databaseNow } from '../database/clock.ts'
import type { InputProblem, Refusal } from '../errors.ts'
import { findJsonExcess } from '../http/json-limits.ts'
import { Arguments } from './arguments.ts'
import { type Door, type DoorAnswer, DoorRefusal, type DoorRequest, type DoorRoute, rejected } from './door.ts'
import { checkArguments, RATE_ARGUMENTS, SEND_ARGUMENTS, USER_ARGUMENTS } from './jasmin-arguments.ts'
import { readMoment } from './jasmin-moment.ts'
import { toUuid } from './message-uuid.ts'
import { type DoorFields, type DoorSend, estimateThroughDoor, sendThroughDoor } from './send-through-door.ts'
import { decodeText } from './texts.ts'

/*
 * The door of Jasmin: /send, /rate, /balance and /ping of its HTTP API, version 0.11. The answers are those that it
 * writes, with the same checks in the same order. docs/doors.md tells the differences.
 */

const CREDENTIALS = { username: ['username'], password: ['password'] }

export const jasmin: Door = {
  name: 'jasmin',
  routes: (parts) => [
    {
      id: 'jasminSend',
      methods: ['GET', 'POST'],
      path: '/send',
      permission: 'send',
      readArguments,
      check: (given) => checkSend(given),
      credentials: CREDENTIALS,
      async handle(request) {
        const { message_id: messageId } = await sendThroughDoor(parts, request, readSend(request))
        return { status: 200, body: `Success "${toUuid({ messageId, position: 1 })}"`, type: 'text/plain' }
      },
      refuse: refuseInText
    } satisfies DoorRoute,
    {
      id: 'jasminRate',
      methods: ['GET', 'POST'],
      path: '/rate',
      permission: 'read',
      readArguments,
      check: (given) => checkRate(given),
      credentials: CREDENTIALS,
      async handle(request) {
        const { credits_required: credits, sms_count: segments } = await estimateThroughDoor(parts, request, {
          fields: readContent(request.given, { isRate: true }),
          numbers: [request.given.text('to') ?? ''],
          callback: undefined
        })
        return inJson(200, { unit_rate: credits / segments, submit_sm_count: segments })
      },
      refuse: refuseInJson
    } satisfies DoorRoute,
    {
      id: 'jasminBalance',
      methods: ['GET', 'POST'],
      path: '/balance',
      permission: 'read',
      readArguments,
      check: (given) => checkArguments(given, USER_ARGUMENTS),
      credentials: CREDENTIALS,
      async handle({ caller: { accountId } }) {
        const balance = await findSpendable(parts.pool, { accountId, messageType: MESSAGE_TYPES.sms })
        return inJson(200, { balance, sms_count: 'ND' })
      },
      refuse: refuseInJson
    } satisfies DoorRoute,
    {
      id: 'jasminPing',
      methods: ['GET'],
      path: '/ping',
      permission: undefined,
      readArguments: () => new Arguments(),
      credentials: CREDENTIALS,
      handle: async () => ({ status: 200, body: 'Jasmin/PONG', type: 'text/plain' }),
      refuse: refuseInText
    } satisfies DoorRoute
  ]
}

/** Of the query, and of a POST also of its form or its JSON. */
function readArguments(request: FastifyRequest): Arguments {
  const given = Arguments.ofQuery(request.url)
  const body = Buffer.isBuffer(request.body) ? request.body : undefined
  if (!body) return given
  const kind = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (kind === 'application/json') addJson(given, body.toString())
  else if (kind === 'application/x-www-form-urlencoded') {
    const form = Arguments.ofForm(body.toString('latin1'))
    for (const name of form.names) given.add(name, form.bytes(name) ?? Buffer.alloc(0))
  }
  return given
}

function addJson(given: Arguments, text: string): void {
  const fields = parseJson(text)
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw rejected('The body must be a JSON object.')
  }
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw rejected(`Argument [${name}] has an invalid value: [${JSON.stringify(value)}].`)
    }
    given.add(name, Buffer.from(String(value)))
  }
}

function parseJson(text: string): unknown {
  const excess = findJsonExcess(text)
  if (excess !== undefined) throw rejected(`The body ${excess}.`)
  try {
    return JSON.parse(text)
  } catch {
    throw rejected('The body is not valid JSON.')
  }
}

function checkSend(given: Arguments): void {
  // Jasmin asks for a delivery report when an argument about one is there.
  if (given.has('dlr-url') || given.has('dlr-level')) given.add('dlr', Buffer.from('yes'))
  given.add('dlr', Buffer.from('no'))
  checkArguments(given, SEND_ARGUMENTS)
  if (!given.has('content') && !given.has('hex-content')) throw rejected('content or hex-content not present.')
  refuseBoth(given)
}

function checkRate(given: Arguments): void {
  checkArguments(given, RATE_ARGUMENTS)
  refuseBoth(given)
}

function refuseBoth(given: Arguments): void {
  if (given.has('content') && given.has('hex-content')) {
    throw rejected('content and hex-content cannot be used both in same request.')
  }
}

function readSend({ given }: DoorRequest): DoorSend {
  const from = given.text('from') ?? ''
  const validity = given.text('validity-period')
  const moment = given.text('sdt')
  const fields: DoorFields = {
    ...readContent(given, { isRate: false }),
    ...(from !== '' && { sender: from }),
    ...(validity !== undefined && { validity: Math.max(1, Math.min(Number(validity), VALIDITY_MINUTES_MAX) * 60) }),
    ...(moment !== undefined && { scheduleAt: readMoment(moment, databaseNow()).toISOString() }),
    ...(Number(given.text('priority') ?? 0) > 0 && { priority: 'high' })
  }
  return { fields, numbers: [given.text('to') ?? ''], callback: readCallback(given) }
}

/** Chappe keeps a message for no longer. */
const VALIDITY_MINUTES_MAX = 7 * 24 * 60

/** The reports of each level: of the carrier's answer, of the phone, of both. */
const MASKS: Readonly<Record<string, number>> = {
  1: REPORTS.accepted | REPORTS.refused,
  2: REPORTS.delivered | REPORTS.undelivered,
  3: REPORTS.accepted | REPORTS.refused | REPORTS.delivered | REPORTS.undelivered
}

function readCallback(given: Arguments): DoorSend['callback'] {
  const url = given.text('dlr-url')
  const mask = MASKS[given.text('dlr-level') ?? '1']
  if (url === undefined || mask === undefined || given.text('dlr') !== 'yes') return undefined
  const method = given.text('dlr-method')?.toUpperCase() === 'GET' ? 'GET' : 'POST'
  return { door: 'jasmin', url, method, mask, fields: {} }
}

/** The character sets of data codings. A text of any of them leaves in the alphabet that fits it. */
const CHARSETS: Readonly<Record<string, string>> = {
  0: 'utf-8',
  1: 'windows-1252',
  3: 'windows-1252',
  5: 'shift_jis',
  6: 'iso-8859-5',
  7: 'iso-8859-8',
  8: 'utf-16be',
  10: 'iso-2022-jp',
  14: 'euc-kr'
}
const BINARY_CODINGS = new Set(['2', '4'])

/** The text, or the octets of a binary message, by the data coding. Without any, a rate is that of one segment. */
function readContent(given: Arguments, { isRate }: { isRate: boolean }): Pick<DoorFields, 'content' | 'binary'> {
  const coding = given.text('coding') ?? '0'
  const hex = given.text('hex-content')
  const bytes = hex === undefined ? given.bytes('content') : readHex(hex)
  if (isRate && (bytes === undefined || bytes.length === 0)) return { content: 'x' }
  const data = bytes ?? Buffer.alloc(0)
  if (BINARY_CODINGS.has(coding)) return { binary: { data: data.toString('hex') } }
  const charset = CHARSETS[coding]
  if (charset === undefined) throw rejected(`Argument [coding] has an invalid value: [${coding}].`)
  // Octets without a coding are those of the GSM alphabet, which has the letters of ASCII.
  const content = decodeText(data, hex !== undefined && coding === '0' ? 'ascii' : charset)
  if (content === undefined) {
    throw rejected(`Argument [${hex === undefined ? 'content' : 'hex-content'}] has an invalid value.`)
  }
  return { content }
}

function readHex(hex: string): Buffer {
  if (!/^(?:[0-9a-f]{2})*$/i.test(hex)) throw rejected(`Invalid hex-content data: '${hex.slice(0, 100)}'`)
  return Buffer.from(hex, 'hex')
}

function refuseInText(refusal: Refusal, given: Arguments | undefined): DoorAnswer {
  const { status, sentence } = toAnswer(refusal, given)
  return { status, body: `Error "${sentence}"`, type: 'text/plain' }
}

function refuseInJson(refusal: Refusal, given: Arguments | undefined): DoorAnswer {
  const { status, sentence } = toAnswer(refusal, given)
  return inJson(status, sentence)
}

function inJson(status: number, value: unknown): DoorAnswer {
  return { status, body: JSON.stringify(value), type: 'application/json' }
}

function toAnswer(refusal: Refusal, given: Arguments | undefined): { status: number; sentence: string } {
  const { status, code, message } = refusal
  if (refusal instanceof DoorRefusal) return { status, sentence: message }
  const username = given?.text('username') ?? ''
  if (status === 401) return { status: 403, sentence: `Authentication failure for username:${username}` }
  if (code === 'sender_not_allowed') return { status: 400, sentence: message }
  if (status === 403) return { status: 400, sentence: `Authorization failed for user [${username}] (${message})` }
  if (status === 402) return { status: 403, sentence: 'Cannot charge submit_sm, check RouterPB log file for details' }
  if (status === 429) return { status: 403, sentence: 'User throughput exceeded' }
  if (status >= 500) return { status: 500, sentence: NOT_SENT }
  const [problem] = (refusal.details ?? []) as InputProblem[]
  if (problem?.path === 'to' && /route|carrier/.test(problem.message))
    return { status: 412, sentence: 'No route found' }
  return { status: 400, sentence: message }
}

const NOT_SENT = 'Cannot send submit_sm, check SMPPClientManagerPB log file for details'
