import { ConfigMistakes, readConfig } from '../src/config.ts'
import { connect } from '../src/database/database.ts'
import { CannotMove } from '../src/database/distribute.ts'
import { migrate } from '../src/database/migrate.ts'
import { distribute, undistribute } from '../src/distribute.ts'

/**
 * `npm run distribute` moves the tables of the database at DATABASE_URL to their places in its Citus cluster; `npm run undistribute`
 * brings them back. Exits 0 when all is done, 1 when it could not be; then it can be run again.
 */
process.exitCode = await main(process.argv[2] === 'back')

async function main(isBack: boolean): Promise<number> {
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
    await (isBack ? undistribute : distribute)(database, { onProgress })
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
