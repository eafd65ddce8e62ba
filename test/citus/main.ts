import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'

/*
 * `npm run test:citus`: tests of the service on a Citus cluster of a coordinator and two workers. CHAPPE_CITUS_BIN is the folder with
 * the binaries of a PostgreSQL that has Citus. Words after it choose other test files than the usual ones.
 */

/** Tests of a cluster, then ordinary ones: the journeys of messages, with their crashes, invariants and checks of the ledger. */
const USUAL = [
  'test/citus/statements.foreign.ts',
  'test/citus/distribute.foreign.ts',
  'test/citus/feed.foreign.ts',
  'test/citus/crashes.foreign.ts',
  'test/citus/half-commits.foreign.ts',
  'test/citus/worker-errors.foreign.ts',
  'test/citus/young-ranges.foreign.ts',
  'test/citus/shards.foreign.ts',
  'test/citus/plans.foreign.ts',
  'src/database/build-indexes.test',
  'src/contacts/contacts.test',
  'src/contacts/import-contacts.test',
  'src/personal-data/personal-data.test',
  'src/rcs-lists/check-lists.test',
  'src/segments/segments.test',
  'src/segments/send-to-segments.test',
  'src/replies/replies.test',
  ...[
    'delivery-',
    'http-carriers',
    'keyed-crashes',
    'nodes-',
    'outcome-crashes',
    'rbm-events',
    'rcs-',
    'routes',
    'smpp-crashes',
    'suspension'
  ].map((name) => `test/journeys/${name}`)
]

process.exitCode = await main(process.env.CHAPPE_CITUS_BIN, process.argv.slice(2))

async function main(binFolder: string | undefined, words: readonly string[]): Promise<number> {
  if (binFolder === undefined) {
    process.stderr.write('Nothing was tested: set CHAPPE_CITUS_BIN to the bin folder of a PostgreSQL that has Citus.\n')
    return 1
  }
  if (!(await isProgram(join(binFolder, 'postgres')))) {
    process.stderr.write(`Nothing was tested: CHAPPE_CITUS_BIN is ${binFolder}, which has no program named postgres.\n`)
    return 1
  }
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../run.ts'), ...(words.length > 0 ? words : USUAL)],
    { stdio: 'inherit', env: { ...process.env, CHAPPE_TEST_CITUS_BIN: binFolder } }
  )
  const { promise, resolve } = Promise.withResolvers<number>()
  child.once('exit', (code) => resolve(code ?? 1))
  return promise
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false
  )
}
