import Type, { type Static } from 'typebox'
import { CarrierCost, CarrierName } from '../carrier-name.ts'
import { SMS_PROPERTIES } from '../sms-settings.ts'

/*
 * One HTTP carrier of the carriers file. Texts of a request may hold places such as `{{to}}` (places.ts). Paths name a
 * value in JSON or in a form, such as `messages[0].status` (value-paths.ts). Texts that may hold a secret are never
 * quoted in a mistake.
 */

const SECRET = { 'x-secret': true }
const TEXT_MAX = 4_096
const Text = Type.String({ maxLength: TEXT_MAX, ...SECRET })
const Texts = Type.Record(Type.String({ maxLength: 200 }), Text, SECRET)
const Path = Type.String({ minLength: 1, maxLength: 200 })
const PathOrNone = Type.Optional(Path)

const BasicAuth = Type.Object({ username: Text, password: Text }, { additionalProperties: false })

const REQUEST = {
  url: Type.String({ minLength: 1, maxLength: 2_048, ...SECRET }),
  headers: Type.Optional(Texts),
  basicAuth: Type.Optional(BasicAuth),
  query: Type.Optional(Texts),
  json: Type.Optional(Type.Unknown(SECRET)),
  form: Type.Optional(Texts)
}

export const HttpRequest = Type.Object(
  { method: Type.Enum(['GET', 'POST', 'PUT'], { default: 'POST' }), ...REQUEST },
  { additionalProperties: false }
)
export type HttpRequest = Static<typeof HttpRequest>

/** What an answer means: the first rule that fits decides. */
const AnswerRule = Type.Object(
  {
    status: Type.Optional(
      Type.String({ pattern: '^[1-5](?:[0-9]{2}|xx)$', 'x-words': 'a status such as "429", or "5xx"' })
    ),
    field: PathOrNone,
    is: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 1_000 })),
    means: Type.Enum(['accepted', 'throttled', 'temporary', 'refused', 'in-doubt']),
    /** Seconds until the next try. */
    delay: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600 }))
  },
  { additionalProperties: false }
)
export type AnswerRule = Static<typeof AnswerRule>

const HttpAnswer = Type.Object(
  {
    id: PathOrNone,
    code: PathOrNone,
    reason: PathOrNone,
    rules: Type.Array(AnswerRule, { default: [], maxItems: 200 })
  },
  { additionalProperties: false }
)
export type HttpAnswer = Static<typeof HttpAnswer>

/** How a post proves that it comes from the provider. */
const Proof = Type.Object(
  {
    by: Type.Enum(['hmac', 'basic', 'header', 'address']),
    secret: Type.String({ minLength: 1, maxLength: TEXT_MAX, ...SECRET }),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    header: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', 'x-words': 'the name of a header, such as X-Signature' })
    ),
    prefix: Type.String({ maxLength: 40, default: '' }),
    algorithm: Type.Enum(['sha1', 'sha256', 'sha512'], { default: 'sha256' }),
    encoding: Type.Enum(['hex', 'base64'], { default: 'hex' }),
    of: Type.Enum(['body', 'url+form'], { default: 'body' })
  },
  { additionalProperties: false }
)
export type Proof = Static<typeof Proof>

const Poll = Type.Object(
  {
    request: Type.Object(
      { method: Type.Enum(['GET', 'POST'], { default: 'GET' }), ...REQUEST },
      { additionalProperties: false }
    ),
    /** Seconds. */
    every: Type.Number({ minimum: 0.05, maximum: 3_600, default: 10 }),
    cursor: PathOrNone,
    first: Type.String({ maxLength: 1_000, default: '' })
  },
  { additionalProperties: false }
)
export type Poll = Static<typeof Poll>

/** What receipts and replies have in common: how they come, and where they stand in what comes. */
const NEWS = {
  proof: Type.Optional(Proof),
  poll: Type.Optional(Poll),
  items: PathOrNone,
  /** What a post is answered with. */
  answer: Type.Optional(
    Type.Object(
      { type: Type.String({ minLength: 1, maxLength: 100 }), text: Type.String({ maxLength: 1_000 }) },
      { additionalProperties: false }
    )
  )
}

/** States of a carrier's receipts; `pending` says that there will be another. */
const RECEIPT_WORDS = ['delivered', 'failed', 'expired', 'rejected', 'unknown', 'pending'] as const

const HttpReceipts = Type.Object(
  {
    ...NEWS,
    id: Path,
    state: Path,
    states: Type.Record(Type.String({ maxLength: 100 }), Type.Enum([...RECEIPT_WORDS])),
    phone: PathOrNone,
    at: PathOrNone,
    errorCode: PathOrNone
  },
  { additionalProperties: false }
)
export type HttpReceipts = Static<typeof HttpReceipts>

const HttpReplies = Type.Object(
  {
    ...NEWS,
    id: PathOrNone,
    from: Path,
    to: Path,
    text: Path,
    /** Of a provider that hands on the segments of a long reply one by one. */
    segment: Type.Optional(
      Type.Object({ reference: Path, position: Path, total: Path }, { additionalProperties: false })
    )
  },
  { additionalProperties: false }
)
export type HttpReplies = Static<typeof HttpReplies>

export const HttpSettings = Type.Object(
  {
    name: CarrierName,
    type: Type.Literal('http'),
    cost: CarrierCost,
    /** By name: a text, or a file that holds it. */
    secrets: Type.Record(
      Type.String({ maxLength: 64 }),
      Type.Union([
        Type.String({ minLength: 1, maxLength: TEXT_MAX }),
        Type.Object({ file: Type.String({ minLength: 1 }) }, { additionalProperties: false })
      ]),
      { default: {}, ...SECRET }
    ),
    /** Where the provider reaches Chappe, for receipts and replies that it posts. */
    callbackUrl: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
    request: HttpRequest,
    answer: HttpAnswer,
    receipts: Type.Optional(HttpReceipts),
    replies: Type.Optional(HttpReplies),
    /** Whether a request that is repeated under its idempotency key sends one message. */
    idempotent: Type.Boolean({ default: false }),
    /** Whether a long text gets one id and one receipt, or one for each segment. */
    idsPer: Type.Enum(['message', 'segment'], { default: 'message' }),
    connections: Type.Integer({ minimum: 1, maximum: 1_000, default: 20 }),
    throughput: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
    /** Seconds that a request may take before the message is in doubt. */
    answerTimeout: Type.Number({ minimum: 0.05, maximum: 300, default: 10 }),
    ...SMS_PROPERTIES
  },
  { additionalProperties: false }
)

export type HttpSettings = Static<typeof HttpSettings>

/** Receipts or replies. */
export type NewsKind = 'receipts' | 'replies'
