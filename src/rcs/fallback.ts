import Type, { type Static } from 'typebox'
import { senderField } from '../compliance/sender.ts'
import type { InputProblem } from '../errors.ts'
import { fitText } from '../gsm/typography.ts'
import { Nullable } from '../schemas/nullable.ts'
import { parsePieces } from '../variables/variables.ts'

const SEGMENTS_MAX = 10

/** The SMS that is sent when an RCS does not arrive. */
export const FallBack = Type.Object(
  {
    content: Type.String({
      minLength: 1,
      maxLength: 5_000,
      description: 'The text of the SMS, with its variables: `#champ_nom#`. Up to 10 segments.'
    }),
    sender: Type.Optional(Nullable(senderField('Absent or empty for the default.')))
  },
  { $id: 'FallBack' }
)
export type FallBack = Static<typeof FallBack>

/** The problems of the text, with variables counting as empty. Values may still make it too long. */
export function checkFallback(
  { content }: FallBack,
  { typography, path = 'fallback' }: { typography: boolean; path?: string }
): InputProblem[] {
  if (content.trim() === '') return [{ path: `${path}.content`, message: 'must not be empty' }]
  const words = parsePieces(content, []).filter((piece) => typeof piece === 'string')
  const text = words.join('')
  const { segments } = fitText(text, { typography })
  if (segments <= SEGMENTS_MAX) return []
  return [{ path: `${path}.content`, message: `has ${segments} segments, and ${SEGMENTS_MAX} is the most` }]
}
