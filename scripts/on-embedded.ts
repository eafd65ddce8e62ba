import { ConfigMistakes, readConfig } from '../src/config.ts'
import { CannotStart } from '../src/errors.ts'

/** Runs a command on the embedded database. The work returns what is missing in the arguments, if something is. Returns the exit code. */
export async function runOnEmbedded(
  work: (parts: { dataFolder: string; args: string[] }) => Promise<string | undefined>
): Promise<number> {
  try {
    const { databaseUrl, dataFolder } = readConfig(process.env)
    const problem =
      databaseUrl === undefined
        ? await work({ dataFolder, args: process.argv.slice(2) })
        : 'This command is for the embedded database. With DATABASE_URL, see docs/data-keeping.md.'
    if (problem === undefined) return 0
    process.stderr.write(`${problem}\n`)
    return 2
  } catch (error) {
    if (!(error instanceof CannotStart || error instanceof ConfigMistakes)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}
