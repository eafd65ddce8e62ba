import { type Io, UsageError } from './io.ts'

/* Results as a table for people, as JSON or CSV for programs. */

export type Form = 'table' | 'json' | 'csv'
export type Row = Readonly<Record<string, unknown>>

/** `--json` is short for `--output json`. */
export function formOf({ json, output }: { json?: boolean | undefined; output?: string | undefined }): Form {
  if (json) return 'json'
  if (output === undefined) return 'table'
  if (output === 'table' || output === 'json' || output === 'csv') return output
  throw new UsageError(`--output must be table, json or csv, not ${output}`)
}

/** Prints rows. A table and CSV show these columns; JSON has everything. */
export function printRows(io: Io, rows: readonly Row[], form: Form, columns: readonly string[]): void {
  if (form === 'json') io.out(`${JSON.stringify(rows, null, 2)}\n`)
  else if (form === 'csv') io.out([columns, ...rows.map((row) => cells(row, columns))].map(toCsvLine).join(''))
  else io.out(toTable(rows, columns))
}

/** Prints one record: a line for each of its fields. */
export function printRecord(io: Io, record: Row, form: Form): void {
  if (form === 'json') io.out(`${JSON.stringify(record, null, 2)}\n`)
  else if (form === 'csv') printRows(io, [record], form, Object.keys(record))
  else {
    const width = Math.max(...Object.keys(record).map((name) => name.length))
    const lines = Object.entries(record).map(([name, value]) => `${name.padEnd(width)}  ${toText(value)}\n`)
    io.out(lines.join(''))
  }
}

const WIDTH_MAX = 48

function toTable(rows: readonly Row[], columns: readonly string[]): string {
  if (rows.length === 0) return 'Nothing found.\n'
  const lines = [columns.map((name) => name.toUpperCase()), ...rows.map((row) => cells(row, columns).map(shorten))]
  const widths = columns.map((_name, at) => Math.max(...lines.map((line) => [...(line[at] ?? '')].length)))
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - [...cell].length))
          .join('  ')
          .trimEnd()}\n`
    )
    .join('')
}

function shorten(cell: string): string {
  const signs = [...cell.replaceAll(/\s+/g, ' ')]
  return signs.length > WIDTH_MAX ? `${signs.slice(0, WIDTH_MAX - 1).join('')}…` : signs.join('')
}

function cells(row: Row, columns: readonly string[]): string[] {
  return columns.map((name) => toText(row[name]))
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function toCsvLine(cells: readonly string[]): string {
  return `${cells.map(toCsvCell).join(',')}\r\n`
}

/** A spreadsheet would run a cell that begins like a formula. A phone number is none. */
function toCsvCell(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) && !/^[+-]?\d+$/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
