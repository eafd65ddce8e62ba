import { strict as assert } from 'node:assert'
import { pino } from 'pino'
import { eventually } from '../../test/checks/eventually.ts'
import { carrierToRbm, startRbm } from '../../test/peers/rbm.ts'
import { carriersFile } from '../../test/peers/smsc.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, test } from '../../test/service/service.ts'
import { createCapabilityCache } from './capability-cache.ts'
import { readCarriersFile } from './carriers-file.ts'
import { settingsOf } from './kind.ts'
import { createLimits } from './limits.ts'
import { publishStatuses, withdrawStatuses } from './publish-statuses.ts'
import { startRbmCarrier } from './rbm/rbm-carrier.ts'
import { rbm as rbmKind } from './rbm/rbm-kind.ts'

const [HERE, THERE] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']

test('an RCS carrier is up while any process says so, and shows how each is doing with it', async (t) => {
  const rbm = await startRbm(t)
  const { path } = await carriersFile(t, [await carrierToRbm(t, rbm)])
  const { operator, newAccount, pool } = await startService(t, { settings: { CHAPPE_CARRIERS: path } })
  const read = async () => (await operator.expect(200).get('/carriers')).body[0]
  const [settings] = settingsOf(readCarriersFile(path).carriers, rbmKind)
  assert(settings)
  const carrier = startRbmCarrier({
    settings,
    fallbackSeconds: 300,
    messageIdKey: 'key',
    cache: createCapabilityCache(pool),
    limits: createLimits(pool, { owner: HERE }),
    events: { onChange: () => undefined },
    log: pino({ level: 'silent' })
  })
  atEnd(t, () => carrier.stop())
  await eventually(() => assert.ok(carrier.status().isUp))

  const routes = [{ channel: 'rcs', prefix: '', rank: 1 }]
  const { processes, ...quiet } = await read()
  assert.deepEqual(processes, [])
  const nothing = {
    sending: 'on',
    sending_since: null,
    sessions: 0,
    message_id_format: null,
    learned_id_form: null,
    binds: []
  }
  assert.deepEqual(quiet, { name: 'rcs', type: 'rbm', channels: ['rcs'], is_up: false, cost: null, routes, ...nothing })

  for (let times = 0; times < 2; times++) await publishStatuses(pool, { owner: HERE, carriers: [carrier] })
  await publishStatuses(pool, { owner: THERE, carriers: [carrier] })
  const told = await read()
  assert.equal(told.is_up, true)
  const one = {
    is_up: true,
    in_flight: 0,
    capacity: 100,
    submits_per_second: 0,
    pace_per_second: null,
    last_error: null
  }
  assert.deepEqual(told.processes, [
    { process: HERE, ...one },
    { process: THERE, ...one }
  ])

  await pool`update carrier_statuses set told_at = now() - interval '6 seconds' where owner = ${HERE}`
  assert.deepEqual((await read()).processes.length, 1, 'a process that says nothing is not counted on')
  await withdrawStatuses(pool, { owner: THERE })
  assert.equal((await read()).is_up, false)

  await carrier.stop()
  await publishStatuses(pool, { owner: HERE, carriers: [carrier] })
  const stopped = await read()
  assert.deepEqual([stopped.is_up, stopped.processes[0].is_up], [false, false])
  await (await newAccount()).expect(403).get('/carriers')
})
