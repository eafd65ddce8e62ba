import Type from 'typebox'
import { Nullable } from '../schemas/nullable.ts'

/** A message that came in, as customers see it. */
export const ReplyView = Type.Object(
  {
    id: Type.Integer(),
    message_id: Nullable(Type.Integer({ description: 'The message it answers, if there is one.' })),
    recipient: Type.String({ description: 'Who wrote, in E.164.' }),
    to: Type.String({ description: 'The number or agent written to.' }),
    channel: Type.Enum(['sms', 'rcs']),
    content: Type.String(),
    is_stop: Type.Boolean(),
    timestamp: Type.String({ format: 'date-time' })
  },
  { $id: 'Reponses' }
)
