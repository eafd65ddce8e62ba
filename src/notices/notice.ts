import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'

export const NOTICE_KINDS = [
  'alarm',
  'limit',
  'balance',
  'campaign_finished',
  'campaign_failed',
  'campaign_late',
  'credits_asked',
  'credits_given',
  'credits_declined'
] as const

export type NoticeKind = (typeof NOTICE_KINDS)[number]

export interface NewNotice {
  /** The account whose people are told. */
  accountId: number
  kind: NoticeKind
  subject: string
  /** What it is about, for people. */
  name: string
  value: number | null
  bound: number | null
}

export interface Notice extends NewNotice {
  id: number
  createdAt: Date
}

/** What a person has read: notices up to an id, and those from before they joined the account. */
export interface ReadMark {
  readTo: number
  joinedAt: Date
}

/** A key reads for nobody. */
export const NOTHING_READ: ReadMark = { readTo: 0, joinedAt: new Date(0) }

const NoticeView = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.Enum([...NOTICE_KINDS]),
    subject: Type.String({
      description:
        'The kind of an `alarm`, the name of a `limit`, `sms` or `rcs` for a `balance`, the id of a message for a campaign, the id of a request for credits.'
    }),
    name: Type.String({
      description:
        'What an alarm is about; the name of a campaign, empty if it has none; `SMS` or `RCS` for credits and balances.'
    }),
    value: Nullable(
      Type.Number({
        description:
          'The figure of an alarm, how much of a limit is used, a balance, recipients of a campaign, credits.'
      })
    ),
    bound: Nullable(Type.Number({ description: 'What `value` is held against, for alarms, limits and balances.' })),
    is_read: Type.Boolean({ description: 'Whether the person who asks has read it. With a key nothing is read.' }),
    created_at: Type.String({ format: 'date-time' })
  },
  { $id: 'Notice' }
)

export const NoticePage = Paginated(NoticeView, 'NoticePage')

export function toNoticeView(
  { id, kind, subject, name, value, bound, createdAt }: Notice,
  { readTo, joinedAt }: ReadMark
): Static<typeof NoticeView> {
  const isRead = id <= readTo || createdAt < joinedAt
  return { id, kind, subject, name, value, bound, is_read: isRead, created_at: createdAt.toISOString() }
}

export const noticeExample: Static<typeof NoticeView> = {
  id: 12,
  kind: 'campaign_finished',
  subject: '4021',
  name: 'Soldes',
  value: 1250,
  bound: null,
  is_read: false,
  created_at: '2026-11-15T09:30:00.000Z'
}
