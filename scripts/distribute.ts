import { ConfigMistakes, readConfig } from '../src/config.ts'
import { connect } from '../src/database/database.ts'
import { CannotMove } from '../src/database/distribute.ts'
import { migrate } from '../src/database/migrate.ts'
import { distribute, undistribute } from '../src/distribute.ts'

/**
 * `npm run distribute` moves the tables of the database at DATABASE_URL to their places in its Citus cluster, in so many parts as
 * `-- --shards` says; `npm run undistribute` brings them back. Exits 0 when all is done, 1 when it could not be, and can be run
 * again, 2 when it was not called rightly.
 */
const USAGE = 'npm run distribute -- [--shards <parts of each table>], or npm run undistribute'
const SHARDS_MAX = 1_000

process.exitCode = await main()

async function main(): Promise<number> {
  const wanted = readArguments(process.argv.slice(2))
  if (typeof wanted === 'string') {
    process.stderr.write(`${wanted}\n`)
    return 2
  }
  const { isBack, shards } = wanted
  const url = findDatabase()
  if (!url) return 1
  const database = connect({
    url,
    applicationName: `chappe ${isBack ? 'undistribute' : 'distribute'}`,
    connectionsMax: 2
  })
  const onProgress = (sentence: string) => process.stdout.write(`${sentence}\n`)
  try {
    await migrate(database)
    if (isBack) await undistribute(database, { onProgress })
    else await distribute(database, { ...(shards !== undefined && { shards }), onProgress })
    return 0
  } catch (error) {
    const { message } = error as Error
    process.stderr.write(
      error instanceof CannotMove ? `${message}\n` : `Not all is moved, and this command can be run again: ${message}\n`
    )
    return 1
  } finally {
    await database.close(1)
  }
}

/** What the command was called for, or what is wrong with its arguments. */
function readArguments(args: readonly string[]): { isBack: boolean; shards?: number } | string {
  const [first, second, ...others] = args
  if (first === undefined) return { isBack: false }
  if (first === 'back' && second === undefined) return { isBack: true }
  if (first !== '--shards' || others.length > 0) return USAGE
  const shards = Number(second)
  if (Number.isInteger(shards) && shards >= 1 && shards <= SHARDS_MAX) return { isBack: false, shards }
  return `--shards is ${second ?? 'missing'}; it must be a whole number from 1 to ${SHARDS_MAX}.`
}

function findDatabase(): string | undefined {
  try {
    const { databaseUrl } = readConfig(process.env)
    if (!databaseUrl) process.stderr.write('Set DATABASE_URL: the embedded PostgreSQL has no Citus.\n')
    return databaseUrl
  } catch (error) {
    if (!(error instanceof ConfigMistakes)) throw error
    process.stderr.write(`${error.message}\n`)
    return undefined
  }
}
