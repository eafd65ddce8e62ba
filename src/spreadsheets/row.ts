import { invalidInput, type Refusal } from '../errors.ts'

/** A line of a file, cut into cells. */
export interface Row {
  /** Its place in the file, from 1. */
  line: number
  cells: string[]
}

/** What is wrong with a file, and on which line. */
export function badFile(problem: string, line?: number): Refusal {
  return invalidInput([{ path: 'file', message: line === undefined ? problem : `line ${line}: ${problem}` }])
}
