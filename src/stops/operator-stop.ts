import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'

export interface OperatorStop {
  id: number
  phone: string
  reason: string
  createdAt: Date
}

/** A number that nobody of the installation may write to. */
export const OperatorStopView = Type.Object(
  {
    id: Type.Integer(),
    recipient: Type.String({ description: 'The number, in E.164.' }),
    reason: Type.String(),
    timestamp: Type.String({ format: 'date-time' })
  },
  { $id: 'OperatorStop' }
)

export const OperatorStopPage = Paginated(OperatorStopView, 'OperatorStopPage')

export const Reason = Type.Optional(Type.String({ maxLength: 255, description: 'Why, for yourself.' }))

export function toOperatorStopView({ id, phone, reason, createdAt }: OperatorStop): Static<typeof OperatorStopView> {
  return { id, recipient: phone, reason, timestamp: createdAt.toISOString() }
}

export const operatorStopExample: Static<typeof OperatorStopView> = {
  id: 2,
  recipient: '+33639980006',
  reason: 'Complaint 2026-118 of the carrier',
  timestamp: '2026-11-15T09:30:00.000Z'
}
