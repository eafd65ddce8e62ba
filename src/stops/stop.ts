import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'

export type StopSource = 'manual' | 'file' | 'reply'

export interface Stop {
  id: number
  phone: string
  source: StopSource
  createdAt: Date
}

/** An opt-out, as customers see it. */
export const StopView = Type.Object(
  {
    id: Type.Integer(),
    recipient: Type.String({ description: 'The number, in E.164.' }),
    timestamp: Type.String({ format: 'date-time' }),
    source: Type.Enum(['manual', 'file', 'reply'])
  },
  { $id: 'Stops' }
)

export const StopPage = Paginated(StopView, 'StopsListRo')

export function toStopView(stop: Stop): Static<typeof StopView> {
  return { id: stop.id, recipient: stop.phone, timestamp: stop.createdAt.toISOString(), source: stop.source }
}

export const stopExample: Static<typeof StopView> = {
  id: 4,
  recipient: '+33639980006',
  timestamp: '2026-11-15T09:30:00.000Z',
  source: 'manual'
}
