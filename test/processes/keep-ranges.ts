import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/database/database.ts'
import { createKeepIdRanges } from '../../src/database/keep-id-ranges.ts'

/*
 * The worker that keeps ranges of ids, in a process of its own that a test can kill. Its parameter is the address of the
 * database, as JSON.
 */

const pool = connect({ url: JSON.parse(process.argv[2] ?? ''), applicationName: 'keep ranges', connectionsMax: 2 })
const silent = () => undefined
const log = { info: silent, warn: silent, error: silent, debug: silent } as unknown as Parameters<
  typeof createKeepIdRanges
>[1]['log']
const keep = createKeepIdRanges(pool, { retentionDays: 400, log, onFailed: silent })
for (;;) {
  await keep()
  await sleep(10)
}
