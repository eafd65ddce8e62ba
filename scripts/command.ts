import { type Config, ConfigMistakes, readConfig } from '../src/config.ts'
import { CannotStart } from '../src/errors.ts'

interface Given {
  /** Without the options. */
  args: string[]
  /** Those of the known options that were given. */
  options: ReadonlySet<string>
}

/** The work returns what is missing in the arguments, if something is. */
type Work<Parts> = (parts: Parts & Given) => Promise<string | undefined>

/** Runs a command of one's own. Returns the exit code: 1 when it failed, 2 when it was not called rightly. */
export async function runCommand(known: readonly string[], work: Work<{ config: Config }>): Promise<number> {
  try {
    const config = readConfig(process.env)
    const [options, args] = [true, false].map((is) =>
      process.argv.slice(2).filter((arg) => arg.startsWith('--') === is)
    )
    const unknown = options?.find((option) => !known.includes(option))
    const problem =
      unknown === undefined
        ? await work({ config, args: args ?? [], options: new Set(options) })
        : `There is no option ${unknown}; there is ${known.join(' and ') || 'none'}.`
    if (problem === undefined) return 0
    process.stderr.write(`${problem}\n`)
    return 2
  } catch (error) {
    if (!(error instanceof CannotStart || error instanceof ConfigMistakes)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

/**
 * The same for a command on the embedded database. Ctrl-C and SIGTERM abort the signal: the command ends by itself, and
 * stops the server that it has started.
 */
export async function runOnEmbedded(
  known: readonly string[],
  work: Work<{ dataFolder: string; signal: AbortSignal }>
): Promise<number> {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    // npm gives the signal of a terminal a second time.
    process.on(name, () => controller.abort(new CannotStart(`Ended by ${name}: nothing is kept.`)))
  }
  return runCommand(known, async ({ config: { databaseUrl, dataFolder }, ...given }) =>
    databaseUrl === undefined
      ? work({ dataFolder, signal: controller.signal, ...given })
      : 'This command is for the embedded database. With DATABASE_URL, see docs/data-keeping.md.'
  )
}
