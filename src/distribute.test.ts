import { strict as assert } from 'node:assert'
import { tcpUrlOf } from '../test/processes/children.ts'
import { runScript } from '../test/processes/scripts.ts'
import { startService, test } from '../test/service/service.ts'

test('npm run distribute says what is wrong with its arguments, and with the database', async (t) => {
  const service = await startService(t)
  const run = async (settings: Record<string, string>, ...args: string[]) => {
    const { code, output } = await runScript('distribute.ts', settings, ...args)
    return [code, output]
  }
  const range = 'it must be a whole number from 1 to 1000.\n'
  assert.deepEqual(await run({}, '--shards'), [2, `--shards is missing; ${range}`])
  assert.deepEqual(await run({}, '--shards', '2.5'), [2, `--shards is 2.5; ${range}`])
  assert.deepEqual(await run({}, '--nodes'), [
    2,
    'npm run distribute -- [--shards <parts of each table>], or npm run undistribute\n'
  ])
  assert.deepEqual(await run({}), [1, 'Set DATABASE_URL: the embedded PostgreSQL has no Citus.\n'])
  assert.deepEqual(await run({ DATABASE_URL: await tcpUrlOf(t, service) }), [
    1,
    'This database has no Citus. Run `create extension citus` in it, on all nodes; see docs/scale.md.\n'
  ])
})
