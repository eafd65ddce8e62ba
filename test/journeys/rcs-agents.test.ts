import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { Phones } from '../../simulator/phones/phones.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import {
  readBalances,
  readRcsRecipients,
  readSteps,
  sendRcs,
  tellEvents,
  untilEventsDone,
  untilRcsSummary
} from '../messages/rcs.ts'
import { mobiles, readMessage, startDelivering } from '../messages/sending.ts'
import { carrierToRbm, type Rbm, startRbm } from '../peers/rbm.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { type TestAccount, test } from '../service/service.ts'

const [RED, BLUE] = ['red@rbm.goog', 'blue@rbm.goog']
const [PHONE = '', OTHER_PHONE = ''] = mobiles(2)

/** Two agents on one route, the red one first, and SMS. */
async function startAgents(t: TestContext) {
  const phones = new Phones()
  const red = await startRbm(t, { phones, agentId: RED })
  const blue = await startRbm(t, { phones, agentId: BLUE })
  const smsc = await startSmsc(t, { phones })
  const carriers = [
    carrierTo(smsc),
    await carrierToRbm(t, red, { name: 'red', fallbackDelay: 3_600, brand: 'colours', managementUrl: red.url }),
    await carrierToRbm(t, blue, { name: 'blue', fallbackDelay: 3_600 })
  ]
  const service = await startDelivering(t, carriers)
  await tellEvents(red, service, 'red')
  await tellEvents(blue, service, 'blue')
  return { ...service, red, blue, smsc }
}

const takenBy = (rbm: Rbm) => [...rbm.received.values()].flat().length
const agentsOf = async (account: TestAccount) =>
  (await account.expect(200).get('/agents')).body.map(({ id }: { id: string }) => id)

/** What the platform tells of the red agent; of the blue one nothing can be asked. */
async function shows(operator: TestAccount): Promise<void> {
  const told = ({ id, name, logo_url, launches, looked_at, problem, access }: Record<string, unknown>) => [
    id,
    name,
    logo_url,
    launches,
    looked_at !== null,
    problem,
    access
  ]
  await eventually(async () => {
    const { body } = await operator.expect(200).get('/agents/grants')
    assert.deepEqual(body.map(told), [
      [BLUE, null, null, [], false, null, 'everybody'],
      [
        RED,
        'Red',
        'https://red.example/logo.png',
        [{ region: 'fr-sandbox', state: 'launched' }],
        true,
        null,
        'everybody'
      ]
    ])
  })
}

test('agents that are granted are written as by their accounts alone, and answers find the account', async (t) => {
  const service = await startAgents(t)
  const { operator, red, blue, smsc } = service
  const [one, two, other] = [
    await service.newAccount({ credits: 50 }),
    await service.newAccount({ credits: 50 }),
    await service.newAccount({ credits: 50 })
  ]
  await shows(operator)
  // Without grants, everybody may use both, and the route decides.
  assert.deepEqual(await agentsOf(other), [BLUE, RED])
  await untilRcsSummary(other, await sendRcs(other, [PHONE]), { delivered: 1 })
  const named = await sendRcs(other, [PHONE], { agent: 'blue' })
  await untilRcsSummary(other, named, { delivered: 1 })
  assert.equal((await readMessage(other, named)).sender, BLUE)
  assert.deepEqual([takenBy(red), takenBy(blue)], [1, 1])

  await operator.expect(200).put(`/agents/${encodeURIComponent(RED)}/accounts/${one.id}`)
  const { body } = await operator.expect(200).put(`/agents/blue/accounts/${two.id}`)
  assert.deepEqual([body.id, body.access], [BLUE, 'granted'])
  assert.deepEqual(
    body.grants.map(({ account_id, passed_by }: Record<string, unknown>) => [account_id, passed_by]),
    [[two.id, null]]
  )
  assert.deepEqual([await agentsOf(one), await agentsOf(two), await agentsOf(other)], [[RED], [BLUE], []])
  const ids = [await sendRcs(one, [PHONE]), await sendRcs(two, [PHONE])]
  await untilRcsSummary(one, ids[0] as number, { delivered: 1 })
  await untilRcsSummary(two, ids[1] as number, { delivered: 1 })
  assert.equal((await readMessage(one, ids[0] as number)).sender, RED)
  assert.equal((await readMessage(two, ids[1] as number)).sender, BLUE)
  assert.deepEqual([takenBy(red), takenBy(blue)], [2, 2])

  // An agent of another account, and one that is not there, are refused alike, and nothing is stored.
  const before = await readBalances(one)
  const contacts = [{ recipient: PHONE }]
  for (const agent of [BLUE, 'blue', 'nobody@rbm.goog', 'main']) {
    const { body } = await one
      .expect(404)
      .post('/messages/rcs', { type: 'text', data: { text: 'Bonjour' }, contacts, agent })
    assert.equal(body.error, 'There is no such agent of this account.')
  }
  await one.expect(400).post('/messages/rcs', { type: 'text', data: { text: 'Bonjour' }, contacts, agent: '' })
  assert.deepEqual(await readBalances(one), before)

  // Without any agent: the fallback at once, and a 400 where there is none.
  const fallen = await sendRcs(other, [OTHER_PHONE])
  await untilRcsSummary(other, fallen, { delivered: 1 })
  assert.deepEqual(await readSteps(other, fallen), ['accepted', 'fallback', 'sent', 'delivered'])
  const refused = await other.expect(400).post('/messages/rcs', { type: 'text', data: { text: 'Bonjour' }, contacts })
  assert.match(refused.body.error, /this account may use no agent for these numbers/)
  const explained = (await other.expect(200).get('/routes/explain?to=0612000000&channel=rcs')).body
  assert.deepEqual([explained.carrier, explained.agent], [null, null])
  assert.match(explained.reason, /may use no agent/)
  // A process that a busy machine let wait for seconds counts as down until it tells of itself again.
  await eventually(async () => {
    const ofTwo = (await two.expect(200).get('/routes/explain?to=0612000000&channel=rcs')).body
    assert.deepEqual([ofTwo.carrier, ofTwo.agent], ['blue', BLUE])
    const grants = (await operator.expect(200).get('/agents/grants')).body
    assert.deepEqual(
      grants.map(({ id, is_up }: Record<string, unknown>) => [id, is_up]),
      [
        [BLUE, true],
        [RED, true]
      ]
    )
  })
  assert.deepEqual([takenBy(red), takenBy(blue)], [2, 2])

  // The same phone answers both brands, and opts out of one of them.
  await red.sendEvent({ phone: PHONE, text: 'Merci' })
  await blue.sendEvent({ phone: PHONE, text: 'STOP' })
  await untilEventsDone(service)
  const repliesOf = async (account: TestAccount) =>
    (await account.expect(200).get('/messages/replies')).body.items.map(({ content, to }: Record<string, unknown>) => [
      content,
      to
    ])
  await eventually(async () => assert.deepEqual(await repliesOf(two), [['STOP', BLUE]]))
  await eventually(async () => assert.deepEqual(await repliesOf(one), [['Merci', RED]]))
  assert.equal((await two.expect(200).get('/stops/all')).body.meta.totalItems, 1)
  assert.equal((await one.expect(200).get('/stops/all')).body.meta.totalItems, 0)
  await assertInvariants(service, { smscs: [smsc], accounts: [one, two, other] })
})

test('nothing leaves under an agent that is revoked while messages wait', async (t) => {
  const service = await startAgents(t)
  const { operator, red, blue, smsc } = service
  const account = await service.newAccount({ credits: 50 })
  const grant = `/agents/red/accounts/${account.id}`
  await operator.expect(200).put(grant)
  red.apply('refuse messages with 429')
  const waiting = [await sendRcs(account, [PHONE]), await sendRcs(account, [OTHER_PHONE], { fallback: null })]
  for (const id of waiting) await untilRcsSummary(account, id, { waiting: 1 })
  await eventually(async () => assert.ok((await readSteps(account, waiting[0] as number)).includes('retry')))
  await operator.expect(200).delete(grant)
  red.apply('behave')
  await untilRcsSummary(account, waiting[0] as number, { delivered: 1 }, { withinMs: 30_000 })
  await untilRcsSummary(account, waiting[1] as number, { failed: 1 }, { withinMs: 30_000 })
  const [recipient] = await readRcsRecipients(account, waiting[1] as number)
  assert.deepEqual([recipient?.deliver, recipient?.errorcode], [3, 'rcs_no_agent'])
  assert.deepEqual(await readBalances(account), { sms: 49, rcs: 50 })
  // Nobody has it now, and nobody else may use it before the operator says so.
  assert.deepEqual(await agentsOf(operator), [BLUE])
  assert.deepEqual([takenBy(red), takenBy(blue)], [0, 0])
  await operator.expect(200).put('/agents/red', { access: 'everybody' })
  await untilRcsSummary(account, await sendRcs(account, [PHONE]), { delivered: 1 })
  assert.equal(takenBy(red), 1)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('a parent passes on what it was granted, and loses it for its sub-accounts too', async (t) => {
  const service = await startAgents(t)
  const { operator } = service
  const parent = await service.newAccount({ credits: 50 })
  const child = await parent.newSubAccount()
  const stranger = await service.newAccount()
  const pass = `/agents/red/accounts/${child.id}`
  await parent.expect(404).put(pass)
  await operator.expect(200).put(`/agents/red/accounts/${parent.id}`)
  assert.deepEqual(await agentsOf(child), [BLUE], 'a grant is not inherited')
  const { body } = await parent.expect(200).put(pass)
  assert.deepEqual(
    body.grants.map(({ account_id, passed_by }: Record<string, unknown>) => [account_id, passed_by]),
    [
      [parent.id, null],
      [child.id, parent.id]
    ]
  )
  await parent.expect(200).put(pass)
  assert.deepEqual(await agentsOf(child), [BLUE, RED])
  assert.equal((await parent.expect(200).get('/agents/grants')).body.length, 1)
  assert.equal((await stranger.expect(200).get('/agents/grants')).body.length, 0)

  await child.expect(404).delete(`/agents/red/accounts/${parent.id}`)
  await stranger.expect(404).delete(pass)
  await parent.expect(404).put(`/agents/red/accounts/${stranger.id}`)
  await parent.expect(404).put(`/agents/blue/accounts/${child.id}`)
  await parent.expect(403).put('/agents/red', { access: 'everybody' })
  await operator.expect(404).put('/agents/nobody/accounts/1')
  await operator.expect(404).put('/agents/red/accounts/999999')
  await operator.expect(404).put('/agents/nobody', { access: 'everybody' })
  await operator.expect(400).put('/agents/red', { access: 'nobody' })
  await operator.expect(404).delete(`/agents/red/accounts/${stranger.id}`)
  assert.deepEqual(await agentsOf(child), [BLUE, RED])

  await operator.expect(200).delete(`/agents/red/accounts/${parent.id}`)
  assert.deepEqual([await agentsOf(parent), await agentsOf(child)], [[BLUE], [BLUE]])
  const { body: audit } = await parent.expect(200).get('/audit')
  const acts = audit.items
    .filter(({ object_kind: kind }: { object_kind: string }) => kind === 'agent')
    .map(({ operation, changes }: Record<string, unknown>) => [operation, changes])
  assert.deepEqual(acts.at(-1), ['grantAgent', [{ field: 'granted', hidden: false, before: false, after: true }]])
})
