import { strict as assert } from 'node:assert'
import { Phones } from '../../simulator/phones/phones.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { mobiles, readMessage, readTimeline, send, startDelivering, untilSummary } from '../messages/sending.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { type TestAccount, test } from '../service/service.ts'

const GENERAL = { prefix: '', carriers: ['general'] }

test('account, sender and category choose the carrier, its opt-out mention and its default sender', async (t) => {
  const smscs = { general: await startSmsc(t), special: await startSmsc(t) }
  const carriers = [
    carrierTo(smscs.general, { name: 'general', sender: 'GENERAL', stopMention: 'STOP 36111', cost: 0.05 }),
    carrierTo(smscs.special, { name: 'special', sender: 'SPECIAL', stopMention: 'STOP 38111' })
  ]
  const service = await startDelivering(t, carriers, { routes: [GENERAL] })
  const parent = await service.newAccount({ credits: 100 })
  const child = await parent.newSubAccount({ credits: 20 })
  const other = await service.newAccount({ credits: 100 })
  await service.file.write(carriers, [
    GENERAL,
    { prefix: '33', account: parent.id, category: 'transactional', carriers: ['special'] },
    { prefix: '', account: child.id, sender: 'MYSHOP', carriers: ['general'] },
    { prefix: '', sender: 'ACME', carriers: ['special'] }
  ])
  await service.reload()
  const [phone = ''] = mobiles(1)
  const sent = async (account: TestAccount, fields: object, expected: 'general' | 'special') => {
    const id = await send(account, { recipients: [phone], content: 'Bonjour #STOP_XXX#', ...fields })
    await untilSummary(account, id, { delivered: 1 })
    const step = (await readTimeline(account, id)).find(({ step }) => step === 'sent')
    assert.equal(step?.carrier, expected)
    const { content, sender } = await readMessage(account, id)
    assert.equal(content, expected === 'special' ? 'Bonjour STOP 38111' : 'Bonjour STOP 36111')
    return sender
  }
  assert.equal(await sent(parent, {}, 'special'), 'SPECIAL')
  // A sub-account takes its parent's route, unless a route names it.
  assert.equal(await sent(child, {}, 'special'), 'SPECIAL')
  assert.equal(await sent(child, { sender: 'MYSHOP' }, 'general'), 'MYSHOP')
  assert.equal(await sent(other, {}, 'general'), 'GENERAL')
  assert.equal(await sent(other, { sender: 'ACME' }, 'special'), 'ACME')
  const me = async (account: TestAccount) => (await account.expect(200).get('/users/me')).body.stop_mention
  assert.equal(await me(other), 'STOP 36111')
  await explains(service.operator, { parent, child, other, phone })
  await assertInvariants(service, { smscs: Object.values(smscs), accounts: [parent, child, other] })
})

test('a message without a sender shows each phone the sender of the carrier on its route', async (t) => {
  const phones = new Phones()
  const smscs = { france: await startSmsc(t, { phones }), abroad: await startSmsc(t, { phones }) }
  const service = await startDelivering(
    t,
    [
      carrierTo(smscs.france, { name: 'france', sender: '36111', numbers: ['36111'] }),
      carrierTo(smscs.abroad, { name: 'abroad', sender: 'ABROAD' })
    ],
    {
      routes: [
        { prefix: '33', carriers: ['france'] },
        { prefix: '', carriers: ['abroad'] }
      ]
    }
  )
  const [account, other] = [await service.newAccount({ credits: 100 }), await service.newAccount({ credits: 100 })]
  const [french, belgian] = ['+33612345678', '+32470123456']
  const sendersOn = (phone: string) => phones.inboxOf(phone).map(({ from }) => from)
  const id = await send(account, { recipients: [french, belgian] })
  await untilSummary(account, id, { delivered: 2 })
  assert.deepEqual([sendersOn(french), sendersOn(belgian)], [['36111'], ['ABROAD']])
  assert.equal((await readMessage(account, id)).sender, '36111', 'that of the first recipient')

  // Only what was written under a sender makes its replies one's own, whoever wrote last.
  for (const recipient of [french, belgian]) {
    const later = await send(other, { recipients: [recipient], sender: 'OTHER' })
    await untilSummary(other, later, { delivered: 1 })
  }
  phones.reply({ from: belgian, to: 'ABROAD', content: 'Oui' })
  phones.reply({ from: french, to: '36111', content: 'Non' })
  await eventually(async () => {
    const { items } = (await account.expect(200).get('/messages/replies')).body
    const told = items.map(({ recipient, message_id }: Record<string, unknown>) => [recipient, message_id])
    assert.deepEqual(new Map(told), new Map([french, belgian].map((phone) => [phone, id])))
  })

  // A resend takes the senders of the carriers again.
  await Promise.all(Object.values(smscs).map((smsc) => smsc.apply('receipts say UNDELIV')))
  const failed = await send(account, { recipients: [french, belgian] })
  await untilSummary(account, failed, { failed: 2 })
  const again = (await account.expect(200).post(`/messages/${failed}/resend`)).body.message_id
  await untilSummary(account, again, { failed: 2 })
  assert.deepEqual(sendersOn(belgian), ['ABROAD', 'ABROAD', 'OTHER', 'ABROAD'], 'the newest first')
  await assertInvariants(service, { smscs: Object.values(smscs), accounts: [account, other] })
})

/** By the routes of the test above. */
async function explains(
  operator: TestAccount,
  { parent, child, other, phone }: Record<'parent' | 'child' | 'other', TestAccount> & { phone: string }
): Promise<void> {
  const explain = async (client: TestAccount, query: Record<string, string | number>) => {
    const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    return (await client.expect(200).get(`/routes/explain?${words}`)).body
  }
  const own = await explain(child, { to: phone })
  assert.deepEqual([own.account_id, own.carrier, own.route.account], [child.id, 'special', parent.id])
  assert.equal(own.reason, 'The most specific of 2 routes that match.')
  const told = (considered: { account: number | null; sender: string | null; mismatch: string | null }[]) =>
    considered.map(({ account, sender, mismatch }) => [account, sender, mismatch])
  assert.deepEqual(told(own.considered), [
    [child.id, 'MYSHOP', 'sender'],
    [parent.id, null, null],
    [null, 'ACME', 'sender'],
    [null, null, null]
  ])
  assert.deepEqual(
    own.considered.map(({ is_chosen }: { is_chosen: boolean }) => is_chosen),
    [false, true, false, false]
  )
  // Routes of others, and costs, are the operator's alone.
  const others = await explain(other, { to: phone, category: 'marketing' })
  assert.deepEqual(told(others.considered), [
    [null, 'ACME', 'sender'],
    [null, null, null]
  ])
  assert.equal(others.route.carriers[0].cost, null)
  const seen = await explain(operator, { to: phone, account: other.id })
  assert.equal(seen.considered.length, 4)
  const [carrier] = seen.route.carriers
  assert.deepEqual(carrier, { name: 'general', is_up: true, sending: 'on', cost: 0.05, agent: null })
  assert.equal((await explain(parent, { to: '0612000000', account: child.id, sender: 'MYSHOP' })).carrier, 'general')
  assert.equal((await explain(operator, { to: phone, channel: 'rcs' })).route, null)

  await other.expect(404).get(`/routes/explain?to=0612000000&account=${child.id}`)
  await operator.expect(404).get('/routes/explain?to=0612000000&account=999999')
  const { body } = await other.expect(400).get('/routes/explain?to=nobody')
  assert.match(body.error, /to must be a phone number, such as \+33639980013/)
  await other.expect(400).get('/routes/explain')
  await other.expect(400).get('/routes/explain?to=0612000000&category=spam')
  await other.expect(403).get('/routes')
  const { body: routes } = await operator.expect(200).get('/routes')
  assert.deepEqual(
    routes.map(({ account, sender }: { account: number | null; sender: string | null }) => [account, sender]),
    [
      [child.id, 'MYSHOP'],
      [parent.id, null],
      [null, 'ACME'],
      [null, null]
    ]
  )
}

test('messages that wait on a route that a reload removes take the next most specific route', async (t) => {
  const smscs = { general: await startSmsc(t), marketing: await startSmsc(t) }
  const carriers = [
    carrierTo(smscs.general, { name: 'general' }),
    carrierTo(smscs.marketing, { name: 'marketing' }),
    // Nobody listens there: messages wait.
    carrierTo({ host: '127.0.0.1', port: 1 }, { name: 'down' })
  ]
  const service = await startDelivering(t, carriers, {
    routes: [GENERAL, { prefix: '33', sender: 'ACME', carriers: ['down'] }],
    isWaitedFor: false
  })
  const account = await service.newAccount({ credits: 20 })
  const ids = [
    await send(account, { recipients: mobiles(3), sender: 'ACME' }),
    await send(service.operator, { recipients: mobiles(2), sender: 'ACME' })
  ]
  const names = async () => (await service.pool`select distinct route from batches`).map(({ route }) => route)
  assert.deepEqual(await names(), ['33;sender=ACME'])
  await eventually(async () => {
    const answer = await fetch(`${service.url}/health/ready`)
    assert.match(await answer.text(), /no carrier is up for \+33 \(from ACME\)/)
  })
  await service.file.write(carriers, [
    GENERAL,
    { prefix: '33', account: account.id, carriers: ['marketing'] },
    { prefix: '336120000000', sender: 'ACME', carriers: ['down'] }
  ])
  await service.reload()
  await untilSummary(account, ids[0] as number, { delivered: 3 })
  await untilSummary(service.operator, ids[1] as number, { delivered: 2 })
  assert.deepEqual([smscs.marketing.stats.accepted, smscs.general.stats.accepted], [3, 2])
  await assertInvariants(service, { smscs: Object.values(smscs), accounts: [account] })
})

test('a message under the senders of its carriers matches no sender when its route is removed', async (t) => {
  const smscs = { general: await startSmsc(t), shop: await startSmsc(t) }
  const carriers = [
    carrierTo(smscs.general, { name: 'general', sender: 'GENERAL' }),
    carrierTo(smscs.shop, { name: 'shop' }),
    // Nobody listens there: messages wait.
    carrierTo({ host: '127.0.0.1', port: 1 }, { name: 'down', sender: 'FRANCE' })
  ]
  const service = await startDelivering(t, carriers, {
    routes: [
      { prefix: '', carriers: ['general'] },
      { prefix: '33', carriers: ['down'] }
    ],
    isWaitedFor: false
  })
  const account = await service.newAccount({ credits: 20 })
  const id = await send(account, { recipients: ['+33612345678', '+32470123456'] })
  assert.equal((await readMessage(account, id)).sender, 'FRANCE')
  await service.file.write(carriers, [
    { prefix: '', carriers: ['general'] },
    { prefix: '', sender: 'FRANCE', carriers: ['shop'] }
  ])
  await service.reload()
  await untilSummary(account, id, { delivered: 2 })
  assert.deepEqual([smscs.general.stats.accepted, smscs.shop.stats.accepted], [2, 0])
  await assertInvariants(service, { smscs: Object.values(smscs), accounts: [account] })
})

test('a new cost of a carrier is told at once, and keeps its links', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc)])
  const read = async () => (await service.operator.expect(200).get('/carriers')).body[0]
  const { bound_at: boundAt } = (await read()).binds[0]
  await service.file.write([carrierTo(smsc, { cost: 0.031 })])
  await service.reload()
  const { cost, binds } = await read()
  assert.deepEqual([cost, binds[0].bound_at], [0.031, boundAt])
})
