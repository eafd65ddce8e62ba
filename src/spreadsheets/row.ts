import { invalidInput, type Refusal } from '../errors.ts'

/** A line of a file, cut into cells. */
export interface Row {
  /** Its place in the file, from 1. */
  line: number
  cells: string[]
}

/** Whether a row says nothing: programs write the empty rows of a sheet as separators alone. */
export function isBlank(cells: string[]): boolean {
  return cells.every((cell) => cell === '' || cell.trim() === '')
}

/** More columns than any real file has. Each is examined, to find the one that holds the numbers. */
export const COLUMNS_MAX = 1_000

export function tooManyColumns(line: number): Refusal {
  return badFile(`has more than ${COLUMNS_MAX} columns`, line)
}

/** A fault of a file, and its line. */
export function badFile(problem: string, line?: number): Refusal {
  return invalidInput([{ path: 'file', message: line === undefined ? problem : `line ${line}: ${problem}` }])
}
