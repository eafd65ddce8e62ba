import Type from 'typebox'
import { SENDER_MODES } from '../compliance/sender-register.ts'
import { Nullable } from '../schemas/nullable.ts'

export const ModeSchema = Type.Enum([...SENDER_MODES], {
  description:
    '`open`: any sender of the right form. `warn`: others than approved ones leave with a warning. `enforce`: they are refused.'
})

/** The mode that somebody above has set for an account. */
export const OwnModeSchema = Nullable(
  Type.Enum([...SENDER_MODES], { description: 'Null: the mode of the account above, or of the installation.' })
)

export const ModeView = Type.Object(
  { id: Type.Integer(), mode: OwnModeSchema, effective: ModeSchema },
  { $id: 'SenderMode', description: '`effective` is the mode that binds the account; it follows within a second.' }
)
