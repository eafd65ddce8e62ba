import { resolve } from 'node:path'
import { restore } from '../src/backup/backup.ts'
import { runOnEmbedded } from './on-embedded.ts'

/** `npm run restore -- <backup> [--send]`: makes the database of CHAPPE_DATA from a backup. Nothing that waited leaves, unless --send. */
process.exitCode = await runOnEmbedded(async ({ dataFolder, args }) => {
  const [from] = args.filter((arg) => !arg.startsWith('--'))
  if (from === undefined) return 'Name the folder of the backup: npm run restore -- /backup/2026-11-17'
  const { facts, held } = await restore({ from: resolve(from), dataFolder, isSending: args.includes('--send') })
  process.stdout.write(`${dataFolder} has the database of ${facts.takenAt}. Later changes are lost.\n`)
  if (held) {
    process.stdout.write(
      `So that nothing is sent twice: ${held.messages} messages are paused, ${held.departures} messages to segments have failed, ` +
        `and ${held.automations} automations wait for their next time. See "After a restore" in docs/data-keeping.md.\n`
    )
  }
  return undefined
})
