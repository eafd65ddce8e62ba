import { strict as assert } from 'node:assert'
import { Phones } from '../../simulator/phones/phones.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import {
  channelsOf,
  magic,
  readBalances,
  readSteps,
  sendRcs,
  startRcs,
  tellEvents,
  untilRcsSummary
} from '../messages/rcs.ts'
import { mobiles, readMessage, startDelivering } from '../messages/sending.ts'
import { carrierToRbm, startRbm } from '../peers/rbm.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { type TestService, test } from '../service/service.ts'

/** What waits for another try is tried now, and not in some seconds. */
const tryAgain = ({ pool }: Pick<TestService, 'pool'>) => pool`update batches set due_at = now() where due_at > now()`

for (const repeats of ['200', '409']) {
  test(`an answer is lost after the platform took the message: it is sent again, arrives once and is paid once (${repeats} to repeats)`, async (t) => {
    const service = await startRcs(t, { faults: `cut every 3rd answer\nrepeats answer ${repeats}` })
    const account = await service.newAccount({ credits: 100 })
    const phones = mobiles(60)
    const id = await sendRcs(account, phones)
    await eventually(async () => {
      await tryAgain(service)
      assert.equal((await readMessage(account, id)).summary.delivered, 60)
    })
    const { answersCut, repeats: again, messages } = service.rbm.stats
    assert.ok(answersCut >= 20 && again >= 20, `${answersCut} answers were cut, ${again} messages came again`)
    assert.equal(messages, 60)
    for (const phone of phones) assert.deepEqual(channelsOf(service, phone), ['rcs'])
    assert.deepEqual(await readBalances(account), { sms: 100, rcs: 40 })
    await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
  })
}

test('a report that is there before we know that its message left counts as soon as we do, and so before its SMS leaves', async (t) => {
  // The platform takes it, its answer is lost, and then it takes nothing for a long time.
  const faults = 'cut answers\nafter 1 messages refuse messages with 503'
  const service = await startRcs(t, { faults })
  const { rbm, pool } = service
  const account = await service.newAccount({ credits: 10 })
  const [phone = ''] = mobiles(1)
  const id = await sendRcs(account, [phone])
  await eventually(() => assert.equal(rbm.stats.eventsAcknowledged, 1))
  await pool`update rbm_events set tries = 7, next_try_at = now()`
  await eventually(async () => {
    assert.equal((await pool`select from rbm_events where tries > 7`).length, 1, 'it was looked at in vain many times')
  })
  rbm.apply('behave')
  await eventually(async () => {
    await tryAgain(service)
    assert.equal((await readMessage(account, id)).summary.waiting, 0)
  })
  await untilRcsSummary(account, id, { delivered: 1 }, { withinMs: 6_000 })
  assert.deepEqual(channelsOf(service, phone), ['rcs'])
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 9 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('what the platform refuses for good with 404, 403 or 400 leaves as SMS at once', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const media = { title: 'Colis', media_message_url: 'https://shop.example/gone.jpg' }
  for (const [index, status] of ['404', '403', '400'].entries()) {
    service.rbm.apply(`refuse next 1 messages with ${status}`)
    const phone = mobiles(3)[index] ?? ''
    const id = await sendRcs(account, [phone], { type: 'card', data: media })
    await untilRcsSummary(account, id, { delivered: 1 })
    assert.deepEqual(channelsOf(service, phone), ['sms'], status)
    assert.deepEqual(await readSteps(account, id), ['accepted', 'fallback', 'sent', 'delivered'], status)
    const { credits_required, credits_refunded } = await readMessage(account, id)
    assert.deepEqual([credits_required, credits_refunded], [3, 2])
  }
  assert.deepEqual(await readBalances(account), { sms: 7, rcs: 10 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('401, 429, 500 and 503 say nothing of the message: it is tried again, arrives by RCS, and no try costs anything', async (t) => {
  const statuses = ['401', '429', '500', '503']
  const [phones, smsc] = [new Phones(), await startSmsc(t)]
  const platforms = await Promise.all(
    statuses.map(async (status) => {
      // After a 401 it is tried at once with another token, twice.
      const faults = `refuse next ${status === '401' ? 4 : 2} messages with ${status}`
      const rbm = await startRbm(t, { phones, faults })
      return { rbm, carrier: await carrierToRbm(t, rbm, { name: `rcs-${status}`, fallbackDelay: 3_600 }) }
    })
  )
  const service = await startDelivering(t, [carrierTo(smsc), ...platforms.map(({ carrier }) => carrier)], {
    routes: [
      { prefix: '', carriers: ['main'] },
      ...platforms.map(({ carrier }, index) => ({
        channel: 'rcs' as const,
        prefix: `3361${index}`,
        carriers: [carrier.name]
      }))
    ]
  })
  for (const { rbm, carrier } of platforms) await tellEvents(rbm, service, carrier.name)
  const account = await service.newAccount({ credits: 10 })
  const recipients = statuses.map((_, index) => `+3361${index}000000`)
  const id = await sendRcs(account, recipients)
  await eventually(async () => {
    await tryAgain(service)
    assert.equal((await readMessage(account, id)).summary.delivered, 4)
  })
  for (const [index, status] of statuses.entries()) {
    const steps = await readSteps(account, id, index)
    assert.ok(steps.includes('retry') && !steps.includes('fallback'), `${status}: ${steps}`)
    assert.deepEqual(channelsOf({ phones }, recipients[index] ?? ''), ['rcs'], status)
  }
  assert.equal(smsc.stats.submits, 0)
  assert.equal((await readMessage(account, id)).credits_refunded, 0)
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 6 })
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('tokens that end every 10 calls, and a quota that is over again and again: all of it arrives, and none as SMS', async (t) => {
  const service = await startRcs(t, { faults: 'tokens last 10 calls\nretry after 1s' })
  const account = await service.newAccount({ credits: 80 })
  service.rbm.apply('after 20 messages refuse next 5 messages with 429')
  const id = await sendRcs(account, mobiles(80))
  await untilRcsSummary(account, id, { delivered: 80 }, { withinMs: 20_000 })
  const { unauthorized, refused, tokens, messages } = service.rbm.stats
  t.diagnostic(`${tokens} tokens, ${unauthorized} calls without a good one, ${refused} refused with 429`)
  assert.ok(unauthorized > 0 && refused === 5)
  assert.deepEqual([messages, service.smsc.stats.submits], [80, 0])
  assert.deepEqual(await readBalances(account), { sms: 80, rcs: 0 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('a phone that loses RCS in the middle of a campaign gets the SMS; one that gets RCS is asked again after a day', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 100 })
  const [steady, losing, gaining] = [mobiles(15), mobiles(5, '+336130'), magic('07', 5)]
  const all = [...steady, ...losing, ...gaining]
  const channels = (phones: string[]) => [
    ...new Set(phones.flatMap((phone) => channelsOf(service, phone).at(-1) ?? ''))
  ]
  const first = await sendRcs(account, all)
  await untilRcsSummary(account, first, { delivered: 25 })
  assert.deepEqual([channels(steady), channels(losing), channels(gaining)], [['rcs'], ['rcs'], ['sms']])
  const checks = service.rbm.stats.capabilityChecks

  for (const phone of losing) service.rbm.apply(`after 3 messages phone ${phone} has no rcs`)
  for (const phone of gaining) service.rbm.apply(`after 3 messages phone ${phone} has rcs`)
  const second = await sendRcs(account, all)
  await untilRcsSummary(account, second, { delivered: 25 })
  assert.deepEqual([channels(steady), channels(losing), channels(gaining)], [['rcs'], ['sms'], ['sms']])
  assert.equal(service.rbm.stats.capabilityChecks, checks, 'what is known is not asked')

  const refused = service.rbm.stats.refused
  const third = await sendRcs(account, losing)
  await untilRcsSummary(account, third, { delivered: 5 })
  assert.equal(service.rbm.stats.refused, refused, 'who could not be reached is not tried again for now')

  await service.pool`update rcs_capabilities set checked_at = checked_at - interval '2 days'`
  const fourth = await sendRcs(account, all)
  await untilRcsSummary(account, fourth, { delivered: 25 })
  assert.deepEqual([channels(steady), channels(losing), channels(gaining)], [['rcs'], ['sms'], ['rcs']])
  assert.deepEqual(await readBalances(account), { sms: 100 - 5 - 10 - 5 - 5, rcs: 100 - 20 - 15 - 20 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('a list is checked within the limits of the platform, region by region, and what it said serves the campaign', async (t) => {
  const service = await startRcs(t, { faults: 'one region\nlimit batches 2/s' })
  const account = await service.newAccount({ credits: 2_000 })
  const french = mobiles(510)
  const american = Array.from({ length: 505 }, (_, index) => `+1212555${String(index).padStart(4, '0')}`)
  const incapable = magic('07', 5)
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'Clients' })
  const contacts = [...french, ...american, ...incapable].map((tel) => ({ tel }))
  const { body: added } = await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts })
  assert.equal(added.added, 1_020)
  await eventually(
    async () => {
      const { body } = await account.expect(200).get(`/contactlists/${list.id}`)
      assert.equal(body.rcsCapabilityStatus, 'ready')
    },
    { withinMs: 15_000 }
  )
  const { batchChecks, capabilityChecks } = service.rbm.stats
  assert.ok(batchChecks >= 2, `${batchChecks} together`)
  // One whose answer came too late, on a busy machine, is asked about again.
  assert.ok(capabilityChecks < 700, `${capabilityChecks} one by one: those of the other region, not those of both`)
  const id = await sendRcs(account, [], { contacts: undefined, contactlist: [list.id] })
  await untilRcsSummary(account, id, { delivered: 1_020 }, { withinMs: 20_000 })
  assert.equal(service.rbm.stats.capabilityChecks, capabilityChecks, 'nobody is asked about twice')
  assert.deepEqual(await readBalances(account), { sms: 1_995, rcs: 2_000 - 1_015 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})
