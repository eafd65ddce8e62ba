import Type, { type Static } from 'typebox'

/** Rows that are named by default. */
export const LEFT_OUT_MAX = 100

/** The most that a request may ask for: an answer of some ten megabytes at the worst. */
export const LEFT_OUT_ASKED_MAX = 100_000

const LeftOutRow = Type.Object(
  { line: Type.Integer(), value: Type.String(), reason: Type.String() },
  { $id: 'LeftOutRow' }
)
type LeftOutRow = Static<typeof LeftOutRow>

/** Rows that were left out, with the reason, as customers see them. */
export const LeftOutView = Type.Array(LeftOutRow, {
  maxItems: LEFT_OUT_MAX,
  description: 'The first 100 that were left out; `line` is that of the file, or the position, from 1.'
})

/** The same, where a request may ask for more. */
export const LeftOutAskedView = Type.Array(LeftOutRow, {
  maxItems: LEFT_OUT_ASKED_MAX,
  description:
    'The first that were left out, 100 unless more are asked for; `line` is that of the file, or the position, from 1.'
})

/** Enough to recognise a cell; the answer must not repeat the whole file. */
const VALUE_LENGTH_MAX = 255

/** Keeps count of the rows that are left out, and names the first of them. */
export function createLeftOut(namedMax = LEFT_OUT_MAX) {
  const noted: LeftOutRow[] = []
  let invalid = 0
  return {
    get invalid() {
      return invalid
    },
    /** Counts a row without a valid number, or with another fault. */
    addInvalid(line: number, value: string, reason = noNumber(value)) {
      invalid++
      if (noted.length < namedMax) noted.push({ line, value: value.slice(0, VALUE_LENGTH_MAX), reason })
    },
    /** Names a row whose number came before; the caller counts it. */
    addRepeated(line: number, value: string) {
      // Repeats are found last, and may stand before rows that are noted already.
      if (noted.length < 2 * namedMax) noted.push({ line, value: value.slice(0, VALUE_LENGTH_MAX), reason: 'repeated' })
    },
    /** The first rows, in the order of the file. */
    errors(): LeftOutRow[] {
      return noted.sort((a, b) => a.line - b.line).slice(0, namedMax)
    }
  }
}

/** Why this is no number. */
function noNumber(text: string): string {
  return text.trim() === '' ? 'no number' : 'not a phone number'
}
