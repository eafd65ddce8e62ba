import { ConfigMistakes, readConfig } from '../src/config.ts'
import { connect } from '../src/database/database.ts'
import { findEmbeddedServer } from '../src/database/embedded-server.ts'
import { checkCredits } from '../src/statements/check-statements.ts'

/** `npm run ledger:check`: verifies the ledger of a live database. Exits 0 when all holds, 1 when something is wrong, 2 when it could not look. */
process.exitCode = await main()

async function main(): Promise<number> {
  const url = await findDatabase()
  if (!url) return 2
  const database = connect({ url, applicationName: 'chappe ledger:check', connectionsMax: 1 })
  try {
    const findings = await checkCredits(database)
    for (const { promise, violations } of findings) {
      process.stdout.write(`${violations.length === 0 ? '✔' : '✖'} ${promise}\n`)
      for (const row of violations) process.stdout.write(`    ${JSON.stringify(row)}\n`)
    }
    return findings.every(({ violations }) => violations.length === 0) ? 0 : 1
  } catch (error) {
    process.stderr.write(`The ledger can't be read: ${(error as Error).message}\n`)
    return 2
  } finally {
    await database.close(1)
  }
}

async function findDatabase() {
  try {
    const config = readConfig(process.env)
    const url = config.databaseUrl ?? (await findEmbeddedServer(config.dataFolder))
    if (!url)
      process.stderr.write(`No database is running in ${config.dataFolder}: start Chappe, or set DATABASE_URL.\n`)
    return url
  } catch (error) {
    if (!(error instanceof ConfigMistakes)) throw error
    process.stderr.write(`${error.message}\n`)
    return undefined
  }
}
