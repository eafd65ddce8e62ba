import Type from 'typebox'

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
