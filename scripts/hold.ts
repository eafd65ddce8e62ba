import { holdRestored } from '../src/backup/backup.ts'
import { describeHeld } from '../src/backup/hold-back.ts'
import { runCommand } from './command.ts'

/**
 * `npm run hold [-- --hold-scheduled]`: after another tool has restored the database, and before Chappe starts on it. Nothing that
 * waited leaves; what leaves later does, unless --hold-scheduled.
 */
process.exitCode = await runCommand(['--hold-scheduled'], async ({ config, options }) => {
  const held = await holdRestored(config, { isHoldingScheduled: options.has('--hold-scheduled') })
  process.stdout.write(describeHeld(held))
  return undefined
})
