import { resolve } from 'node:path'
import { backUp } from '../src/backup/backup.ts'
import { runOnEmbedded } from './command.ts'

/** `npm run backup -- <new folder>`: backs the embedded database up, also while Chappe runs. Exits 0 once the copy is checked. */
process.exitCode = await runOnEmbedded([], async ({ dataFolder, signal, args: [to] }) => {
  if (to === undefined) return 'Name a new folder for the backup: npm run backup -- /backup/2026-11-17'
  const { rows } = await backUp({ dataFolder, to: resolve(to), signal })
  const count = Object.values(rows).reduce((sum, some) => sum + some, 0)
  process.stdout.write(
    `${resolve(to)} is a backup of ${dataFolder}: ${count} rows, all read, and the ledger is right.\n`
  )
  return undefined
})
