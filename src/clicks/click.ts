import Type from 'typebox'

/** A recipient's first visit through a tracked link, as customers see it. */
export const ClickView = Type.Object(
  {
    message_id: Type.Integer(),
    recipient: Type.String({
      description:
        'The number, in E.164. Empty for a `common` link, of which nobody knows who opened it, and for a number that was erased.'
    }),
    url: Type.String({ description: 'Where the link led.' }),
    timestamp: Type.String({ format: 'date-time' })
  },
  { $id: 'Click' }
)
