import Type, { type Static } from 'typebox'

/** How many rows that were left out are named. */
export const LEFT_OUT_MAX = 100

/** Rows that were not taken, and why, as customers see them. */
export const LeftOutView = Type.Array(
  Type.Object({ line: Type.Integer(), value: Type.String(), reason: Type.String() }),
  {
    maxItems: LEFT_OUT_MAX,
    description: 'The first 100 that were left out; `line` is that of the file, or the position, from 1.'
  }
)

type LeftOutRow = Static<typeof LeftOutView>[number]

/** Enough to recognise a cell by; an answer must not repeat a file. */
const VALUE_LENGTH_MAX = 255

/** Keeps count of the rows that are left out, and names the first of them. */
export function createLeftOut() {
  const noted: LeftOutRow[] = []
  let invalid = 0
  return {
    get invalid() {
      return invalid
    },
    /** Counts a row without a valid number, or with another fault. */
    addInvalid(line: number, value: string, reason = noNumber(value)) {
      invalid++
      if (noted.length < LEFT_OUT_MAX) noted.push({ line, value: value.slice(0, VALUE_LENGTH_MAX), reason })
    },
    /** Names a row whose number came before; whoever calls counts it. */
    addRepeated(line: number, value: string) {
      // The repeats of a file are found last, and may come before what is noted already.
      if (noted.length < 2 * LEFT_OUT_MAX)
        noted.push({ line, value: value.slice(0, VALUE_LENGTH_MAX), reason: 'repeated' })
    },
    /** The first of all, in the order of the file. */
    errors(): LeftOutRow[] {
      return noted.sort((a, b) => a.line - b.line).slice(0, LEFT_OUT_MAX)
    }
  }
}

/** Why this is no number. */
function noNumber(text: string): string {
  return text.trim() === '' ? 'no number' : 'not a phone number'
}
