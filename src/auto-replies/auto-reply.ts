import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'
import { SMS_SENDER } from '../sends/send.ts'

const KEYWORDS_MAX = 20
export const KEYWORD_LENGTH_MAX = 20
const CONTENT_LENGTH_MAX = 1_000
const PAUSE_SECONDS = { minimum: 10, maximum: 86_400 }
const PAUSE_SECONDS_DEFAULT = 60

/** A rule of an account: a reply that begins with one of its keywords gets its text. */
export interface AutoReply {
  id: number
  name: string
  keywords: string[]
  number: string | null
  content: string
  sender: string | null
  pauseSeconds: number
  isOn: boolean
  createdAt: Date
  updatedAt: Date
}

/** What became of a reply that a rule fits. */
export interface Answer {
  id: number
  replyId: number
  phone: string
  /** Null once it is over. */
  dueAt: Date | null
  answeredAt: Date
  messageId: number | null
  problem: string | null
}

export const AutoReplyInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    keywords: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: KEYWORDS_MAX,
      description:
        'Words of letters and digits. A reply fits whose first word is one of them, whatever its case and accents. STOP and other words with a meaning of their own are refused.'
    }),
    number: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'The number or RCS agent that people write to. Absent or null: any.'
        })
      )
    ),
    content: Type.String({
      minLength: 1,
      maxLength: CONTENT_LENGTH_MAX,
      description:
        'The SMS that is sent. It may hold fields of contacts, such as `#prenom#`; they are empty for somebody who is no contact.'
    }),
    sender: Type.Optional(Nullable(SMS_SENDER)),
    pause_seconds: Type.Optional(
      Type.Integer({
        ...PAUSE_SECONDS,
        description: `A number gets at most one answer of this rule in so many seconds. Default: ${PAUSE_SECONDS_DEFAULT}.`
      })
    ),
    is_on: Type.Optional(Type.Boolean({ description: 'Whether it answers. Default: true.' }))
  },
  { $id: 'AutoReplyDto' }
)
export type AutoReplyInput = Static<typeof AutoReplyInput>

export const AutoReplyView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    keywords: Type.Array(Type.String(), { description: 'In capitals, without accents.' }),
    number: Nullable(Type.String({ description: 'The number or RCS agent that people write to; null for any.' })),
    content: Type.String(),
    sender: Nullable(
      Type.String({
        description: 'Null: the number that the person wrote to if the account may send from it, else its own sender.'
      })
    ),
    pause_seconds: Type.Integer(),
    is_on: Type.Boolean(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' })
  },
  { $id: 'AutoReply' }
)

const AnswerView = Type.Object(
  {
    id: Type.Integer(),
    reply_id: Type.Integer({ description: 'The reply that it answers.' }),
    recipient: Type.String({ description: 'Who wrote, in E.164.' }),
    state: Type.Enum(['waiting', 'sent', 'not_sent']),
    message_id: Nullable(Type.Integer({ description: 'The message that was sent.' })),
    problem: Nullable(Type.String({ description: 'Why none was sent.' })),
    timestamp: Type.String({ format: 'date-time' })
  },
  { $id: 'AutoReplyAnswer' }
)
export const AnswerPage = Paginated(AnswerView, 'AutoReplyAnswerPage')

export function toAutoReplyView(rule: AutoReply): Static<typeof AutoReplyView> {
  return {
    id: rule.id,
    name: rule.name,
    keywords: rule.keywords,
    number: rule.number,
    content: rule.content,
    sender: rule.sender,
    pause_seconds: rule.pauseSeconds,
    is_on: rule.isOn,
    created_at: rule.createdAt.toISOString(),
    updated_at: rule.updatedAt.toISOString()
  }
}

export function toAnswerView(answer: Answer): Static<typeof AnswerView> {
  return {
    id: answer.id,
    reply_id: answer.replyId,
    recipient: answer.phone,
    state: answer.dueAt ? 'waiting' : answer.messageId === null ? 'not_sent' : 'sent',
    message_id: answer.messageId,
    problem: answer.problem,
    timestamp: answer.answeredAt.toISOString()
  }
}

export const pauseOf = ({ pause_seconds = PAUSE_SECONDS_DEFAULT }: AutoReplyInput) => pause_seconds

export const inputExample: AutoReplyInput = {
  name: 'Horaires',
  keywords: ['HORAIRES', 'HOURS'],
  content: 'Bonjour #prenom#, nous sommes ouverts du lundi au samedi, de 9 h à 19 h.'
}

export const autoReplyExample: Static<typeof AutoReplyView> = {
  id: 4,
  ...inputExample,
  number: null,
  sender: null,
  pause_seconds: 60,
  is_on: true,
  created_at: '2026-11-15T09:30:00.000Z',
  updated_at: '2026-11-15T09:30:00.000Z'
}

export const answerExample: Static<typeof AnswerView> = {
  id: 9,
  reply_id: 31,
  recipient: '+33639980005',
  state: 'sent',
  message_id: 8,
  problem: null,
  timestamp: '2026-11-15T09:30:01.000Z'
}
