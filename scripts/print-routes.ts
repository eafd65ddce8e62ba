import { listOperations } from '../src/routes.ts'

/** `npm run routes`: the table of every operation. */
const unused = undefined as never // Operations are only listed here, never called.
const operations = listOperations({
  pool: unused,
  tokens: unused,
  callers: unused,
  sending: unused,
  inUse: unused,
  receiving: unused,
  webhooks: { allowPrivate: false, onQueued: unused },
  phones: {} as never // Those of the sandbox too.
})
const rows = operations.map(({ method, path, tag, id, summary }) => [method, path, tag, id, summary])
const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
for (const row of rows)
  process.stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`)
