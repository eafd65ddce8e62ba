import Type, { type Static } from 'typebox'
import { MESSAGE_TYPES, type MessageTypeId, MessageTypeSchema, SubAccountCredits } from '../credits/credit.ts'
import { Refusal } from '../errors.ts'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'

/* A request for credits: of a sub-account to the account above, of an account of its own to the operator. */

export const REQUEST_STATES = ['waiting', 'given', 'declined', 'withdrawn'] as const
export type RequestState = (typeof REQUEST_STATES)[number]

/** How many of an account may wait for an answer, and how many it may make in a day: each may be a mail. */
export const REQUESTS_WAITING_MAX = 10
export const REQUESTS_PER_DAY_MAX = 50

export interface CreditRequest {
  /** The account that asks. */
  accountId: number
  id: number
  /** The account that answers. */
  askedId: number
  messageType: MessageTypeId
  amount: number
  note: string
  state: RequestState
  answer: string
  askedBy: string | null
  createdAt: Date
  answeredAt: Date | null
}

export const RequestStateSchema = Type.Enum([...REQUEST_STATES], {
  description: '`waiting` for an answer, `given`, `declined`, or `withdrawn` by the account that asked.'
})

export const NewCreditRequest = Type.Object(
  {
    credits: SubAccountCredits.properties.credits,
    msgType: SubAccountCredits.properties.msgType,
    note: Type.Optional(
      Type.String({ maxLength: 255, description: 'What they are for. The account that answers reads it.' })
    )
  },
  { $id: 'NewCreditRequest' }
)

export const CreditRequestView = Type.Object(
  {
    id: Type.Integer(),
    msgType: MessageTypeSchema,
    credits: Type.Integer({ description: 'How many credits are asked for.' }),
    state: RequestStateSchema,
    note: Type.String({ description: 'What the account wrote with the request.' }),
    answer: Type.String({ description: 'What was written with the answer.' }),
    asked_by: Nullable(Type.String({ description: 'The name of the person or key that asked.' })),
    created_at: Type.String({ format: 'date-time' }),
    answered_at: Nullable(
      Type.String({ format: 'date-time', description: 'When it was given, declined or withdrawn.' })
    )
  },
  { $id: 'CreditRequest' }
)

const { asked_by: _askedBy, ...receivedFields } = CreditRequestView.properties

/** Nobody above learns the names of keys and people below from it. */
export const ReceivedRequestView = Type.Object(
  {
    ...receivedFields,
    account: Type.Object({
      id: Type.Integer({ description: 'The account that asks.' }),
      parent_id: Nullable(Type.Integer()),
      name: Type.String({ description: 'Its company, or the email of its holder.' }),
      credits: Type.Integer({ description: 'What it has of these credits now.' })
    })
  },
  { $id: 'ReceivedCreditRequest' }
)

export const CreditRequestPage = Paginated(CreditRequestView, 'CreditRequestList')
export const ReceivedRequestPage = Paginated(ReceivedRequestView, 'ReceivedCreditRequestList')

/** The event that both sides get. */
export const CreditRequestEvent = Type.Object(
  {
    request_id: Type.Integer(),
    account_id: Type.Integer({ description: 'The account that asks.' }),
    msgType: MessageTypeSchema,
    credits: Type.Integer(),
    state: RequestStateSchema,
    note: Type.String(),
    answer: Type.String(),
    timestamp: Type.String({ format: 'date-time' })
  },
  { $id: 'CreditRequestEvent' }
)

export const requestExample: Static<typeof CreditRequestView> = {
  id: 31,
  msgType: MESSAGE_TYPES.sms,
  credits: 5_000,
  state: 'waiting',
  note: 'Winter sale',
  answer: '',
  asked_by: 'Léa Martin',
  created_at: '2026-11-15T09:30:00.000Z',
  answered_at: null
}

const { asked_by: _example, ...receivedRequestExample } = requestExample

export const receivedExample: Static<typeof ReceivedRequestView> = {
  ...receivedRequestExample,
  account: { id: 12, parent_id: 3, name: 'My Shop', credits: 40 }
}

export const eventExample: Static<typeof CreditRequestEvent> = {
  request_id: 31,
  account_id: 12,
  msgType: MESSAGE_TYPES.sms,
  credits: 5_000,
  state: 'given',
  note: 'Winter sale',
  answer: 'For November',
  timestamp: '2026-11-15T10:00:00.000Z'
}

export function toRequestView(request: CreditRequest): Static<typeof CreditRequestView> {
  return {
    id: request.id,
    msgType: request.messageType,
    credits: request.amount,
    state: request.state,
    note: request.note,
    answer: request.answer,
    asked_by: request.askedBy,
    created_at: request.createdAt.toISOString(),
    answered_at: request.answeredAt?.toISOString() ?? null
  }
}

export type ReceivedRequest = CreditRequest & { parentId: number | null; name: string; available: number }

export function toReceivedView({
  parentId,
  name,
  available,
  ...request
}: ReceivedRequest): Static<typeof ReceivedRequestView> {
  const { asked_by: _askedBy, ...view } = toRequestView(request)
  return { ...view, account: { id: request.accountId, parent_id: parentId, name, credits: available } }
}

export function refuseAnswered({ state }: CreditRequest): void {
  if (state === 'waiting') return
  throw new Refusal(409, 'state_conflict', `The request is ${state} already.`)
}
