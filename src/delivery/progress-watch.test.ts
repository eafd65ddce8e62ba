import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { eventually } from '../../test/checks/eventually.ts'
import { assertInvariants } from '../../test/checks/invariants.ts'
import { countDoubts, mobiles, send } from '../../test/messages/sending.ts'
import { endLeases } from '../../test/processes/children.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, test } from '../../test/service/service.ts'
import type { Carrier, SubmitOutcome } from '../carriers/carrier.ts'
import { Dispatcher } from './dispatch-batches.ts'
import { PendingIds } from './pending-ids.ts'
import { ProgressWatch } from './progress-watch.ts'
import { resolveDoubts } from './resolve-doubts.ts'

const WINDOW = 10
const LOOKS = 20

test('who stands still although there is work and room is noticed, and whoever begins in its place sends all of it', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const submitted: string[] = []
  let isForgetful = true
  // A link that is up, with a window that is empty, and a dispatcher that waits for what nobody will ever tell it.
  const carrier: Carrier = {
    name: 'peer',
    capacity: WINDOW,
    pacePerSecond: null,
    submit({ to }) {
      submitted.push(to)
      if (isForgetful) return new Promise<never>(() => undefined)
      return Promise.resolve<SubmitOutcome>({ kind: 'accepted', carrierMessageIds: [randomUUID()] })
    },
    status: () => ({ isUp: true, binds: [] }),
    stop: async () => undefined
  }
  const dispatch = () => {
    const log = pino({ level: 'silent' })
    return new Dispatcher({ pool, carrier, routes: () => [''], pendingIds: new PendingIds(), log })
  }
  const stuck = dispatch()
  atEnd(t, () => stuck.abandon())
  const look = (watch: ProgressWatch, dispatcher: Dispatcher) =>
    watch.isStuck({ pool, carrier, dispatcher, routes: () => [''] })
  const watch = new ProgressWatch()
  for (let looks = 0; looks < LOOKS; looks++) assert.equal(await look(watch, stuck), false, 'nothing is due')

  await send(service.operator, { recipients: mobiles(30) })
  await send(service.operator, { recipients: mobiles(30, '+336130') })
  stuck.wake()
  await eventually(() => assert.equal(submitted.length, WINDOW))
  for (let looks = 0; looks < LOOKS; looks++) assert.equal(await look(watch, stuck), false, 'what is due is held')
  // As if it had been so for a minute: nobody extends a lease that nobody has.
  await pool`update batches set due_at = now() - interval '1 minute'`
  await pool`update batches set leased_by = null, leased_until = null where cardinality(submitting) = 0`
  const [row] = await pool<[{ count: number }]>`select count(*) as count from batches where leased_by is null`
  if (row.count === 0) await pool`update batches set leased_until = now() - interval '1 minute'`
  let looks = 1
  const later = new ProgressWatch()
  while (!(await look(later, stuck))) assert.ok(++looks < LOOKS, 'it is noticed')
  assert.ok(looks > 3, 'and not at the first look')

  isForgetful = false
  stuck.abandon()
  const fresh = dispatch()
  atEnd(t, () => fresh.stop())
  await endLeases(service)
  await eventually(async () => assert.equal(await countDoubts(service), WINDOW, 'what was on its way is in doubt'))
  await pool`update doubts set due_at = now()`
  await resolveDoubts(pool, { submissionIdOf: (_carrier, id) => id, partsOf: (_carrier, segments) => segments })
  fresh.wake()
  await eventually(() => assert.equal(new Set(submitted).size, 60))
  await assertInvariants(service, { awaited: 60 })
  assert.equal(submitted.length, 60 + WINDOW)
  for (let looks = 0; looks < LOOKS; looks++) assert.equal(await look(watch, fresh), false)
})
