import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigMistakes, readConfig } from '../src/config.ts'
import { connect } from '../src/database/database.ts'
import { findEmbeddedServer } from '../src/database/embedded-server.ts'
import { applyAccount, type Credentials, readPlan } from '../src/imports/apply-accounts.ts'
import { ImportMistake } from '../src/imports/imported.ts'
import { readJasmin } from '../src/imports/read-jasmin.ts'
import { readKannel } from '../src/imports/read-kannel.ts'
import { writeImported } from '../src/imports/write-imported.ts'

/*
 * `npm run import:kannel -- kannel.conf`, `npm run import:jasmin -- jcli.txt` write files and change nothing else.
 * `npm run import:apply -- imported/accounts.json` opens the accounts of such a file. Exits 0 when all was done, 1 when
 * something is left to be mended, 2 when nothing could be done.
 */

const READERS = { kannel: readKannel, jasmin: readJasmin }
const FILES = { kannel: 'kannel.conf', jasmin: 'jcli.txt', apply: 'imported/accounts.json' }
const CREDENTIALS_NAME = 'credentials.json'

process.exitCode = await main()

async function main(): Promise<number> {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { out: { type: 'string', default: 'imported' } }
    })
    const [what, path, ...rest] = positionals
    if (path === undefined || rest.length > 0)
      return fail(`Name one file, such as: npm run import:${what} -- ${FILES[what as keyof typeof FILES]}`)
    if (what === 'apply') return await apply(path)
    const { report, hasMistakes } = writeImported(READERS[what as keyof typeof READERS](path), values.out)
    process.stdout.write(report)
    return hasMistakes ? 1 : 0
  } catch (error) {
    if (error instanceof ImportMistake || error instanceof ConfigMistakes) return fail(error.message)
    const { code, message } = error as NodeJS.ErrnoException
    return fail(code?.startsWith('ERR_PARSE_ARGS') ? `${message}.` : message)
  }
}

async function apply(path: string): Promise<number> {
  const read = readPlan(readFileSync(path, 'utf8'))
  if ('problems' in read) return fail(read.problems.map((problem) => `${path}: ${problem}.`).join('\n'))
  const config = readConfig(process.env)
  const url = config.databaseUrl ?? (await findEmbeddedServer(config.dataFolder))
  if (!url) return fail(`No database is running in ${config.dataFolder}: start Chappe, or set DATABASE_URL.`)
  const pool = connect({ url, applicationName: 'chappe import:apply', connectionsMax: 1 })
  const file = join(dirname(path), CREDENTIALS_NAME)
  let skipped = 0
  try {
    for (const plan of read.accounts) {
      const applied = await applyAccount(pool, plan, (credentials) => keep(file, credentials))
      if (applied.kind === 'opened') {
        const balance = plan.credits === 0 ? '. It has no credits: give it some before its client sends' : ''
        process.stdout.write(`Opened: ${plan.username}, as account ${applied.credentials.account_id}${balance}.\n`)
      } else {
        skipped++
        process.stdout.write(`Not opened: ${plan.username}: ${applied.reason}\n`)
      }
    }
  } finally {
    await pool.close(1)
  }
  if (existsSync(file)) process.stdout.write(`Credentials, which are shown nowhere else: ${file}\n`)
  return skipped === 0 ? 0 : 1
}

/** Written as a whole and renamed, so that a crash leaves the old file or the new one. */
function keep(file: string, credentials: Credentials): void {
  const known: Credentials[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
  const others = known.filter(({ formerly }) => formerly !== credentials.formerly)
  const next = `${file}.new`
  writeFileSync(next, `${JSON.stringify([...others, credentials], null, 2)}\n`, { mode: 0o600 })
  const handle = openSync(next, 'r')
  fsyncSync(handle)
  closeSync(handle)
  renameSync(next, file)
}

function fail(sentence: string): number {
  process.stderr.write(`${sentence}\n`)
  return 2
}
