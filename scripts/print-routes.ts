import { listAllOperations } from './all-operations.ts'

/** `npm run routes`: the table of every operation. */
const rows = listAllOperations().map(({ method, path, tag, id, summary }) => [method, path, tag, id, summary])
const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
for (const row of rows)
  process.stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`)
