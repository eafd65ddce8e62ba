import { resolve } from 'node:path'
import { restore } from '../src/backup/backup.ts'
import { describeHeld } from '../src/backup/hold-back.ts'
import { runOnEmbedded } from './command.ts'

/**
 * `npm run restore -- <backup> [--hold-scheduled | --send]`: makes the database of CHAPPE_DATA from a backup. Nothing that waited
 * leaves, unless --send; what leaves later does, unless --hold-scheduled.
 */
process.exitCode = await runOnEmbedded(
  ['--hold-scheduled', '--send'],
  async ({ dataFolder, signal, args: [from], options }) => {
    if (from === undefined) return 'Name the folder of the backup: npm run restore -- /backup/2026-11-17'
    if (options.size > 1) return 'Give --hold-scheduled or --send, not both.'
    const hold = !options.has('--send') && { isHoldingScheduled: options.has('--hold-scheduled') }
    const { facts, held } = await restore({ from: resolve(from), dataFolder, hold, signal })
    process.stdout.write(`${dataFolder} has the database of ${facts.takenAt}. Later changes are lost.\n`)
    if (held) process.stdout.write(describeHeld(held))
    return undefined
  }
)
