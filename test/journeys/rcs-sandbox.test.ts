import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { untilSummary } from '../messages/sending.ts'
import { startService, type TestAccount, test } from '../service/service.ts'

const SANDBOX = { settings: { CHAPPE_ROLES: 'all', CHAPPE_RCS_FALLBACK_SECONDS: '2' } }
const magic = (digits: string) => `+336399800${digits}`
const AGENT = 'sandbox@rbm.goog'

const CARD = {
  title: 'Soldes',
  description: 'Jusqu’à samedi, #prenom#',
  media_message_url: 'https://example.fr/a.png',
  choices: [
    { type: 'text', text: 'Oui' },
    { type: 'url', title: 'Voir', url: 'https://example.fr/soldes' },
    { type: 'call', title: 'Appeler', phoneNumber: '+33123456789' },
    { type: 'location', title: 'Venir', label: 'Paris', latitude: 48.85, longitude: 2.35 }
  ]
}

async function sendRcs(account: TestAccount, fields: Record<string, unknown>): Promise<number> {
  const { body } = await account.expect(200).post('/messages/rcs', fields)
  return body.message_id
}

const inbox = async (account: TestAccount, phone: string) =>
  (await account.expect(200).get(`/sandbox/phones/${phone}`)).body.items

const replies = async (account: TestAccount) =>
  (await account.expect(200).get('/messages/replies')).body.items
    .map((reply: Record<string, unknown>) => [
      reply.recipient,
      reply.channel,
      reply.to,
      reply.content,
      reply.message_id
    ])
    .sort()

test('every number of the sandbox does by RCS what it is known for', async (t) => {
  const service = await startService(t, SANDBOX)
  assert.equal((await fetch(`${service.url}/health/ready`)).status, 200, 'ready as soon as it has started')
  const account = await service.newAccount({ credits: 50 })
  const expected: [digits: string, deliver: number, channel: string][] = [
    ['00', 1, 'rcs'],
    ['05', 1, 'rcs'],
    ['06', 1, 'rcs'],
    ['07', 1, 'sms'],
    ['08', 1, 'sms'],
    ['12', 8, 'rcs'],
    ['99', 1, 'rcs']
  ]
  const id = await sendRcs(account, {
    type: 'text',
    data: { text: 'Bonjour', choices: CARD.choices.slice(0, 2) },
    contacts: expected.map(([digits]) => ({ recipient: magic(digits) })),
    fallback: { content: 'Bonjour par SMS' }
  })
  await untilSummary(account, id, { delivered: 6, read: 1 })
  const { body: recipients } = await account.expect(200).get(`/messages/${id}/recipients/rcs`)
  assert.deepEqual(
    recipients.items.map((item: Record<string, unknown>) => [item.recipient, item.deliver, item.channel]),
    expected.map(([digits, deliver, channel]) => [magic(digits), deliver, channel])
  )
  await eventually(async () =>
    assert.deepEqual(await replies(account), [
      [magic('05'), 'rcs', AGENT, 'OK', id],
      [magic('06'), 'rcs', AGENT, 'STOP', id],
      [magic('12'), 'rcs', AGENT, 'Oui', id]
    ])
  )
  const { body: stops } = await account.expect(200).get('/stops/all')
  assert.deepEqual(
    stops.items.map(({ recipient }: { recipient: string }) => recipient),
    [magic('06')]
  )
  for (const digits of ['07', '08']) {
    const items = await inbox(account, magic(digits))
    assert.deepEqual(
      items.map((item: Record<string, unknown>) => [item.channel, item.content]),
      [['sms', 'Bonjour par SMS']]
    )
  }
  await assertInvariants(service, { accounts: [account] })
})

test('a phone shows the RCS that came from the caller’s account alone, as its sender wrote it', async (t) => {
  const service = await startService(t, SANDBOX)
  const [account, stranger] = [await service.newAccount({ credits: 20 }), await service.newAccount({ credits: 20 })]
  const phone = magic('13')
  const contacts = [{ recipient: phone, prenom: 'Zoé' }]
  const sent: number[] = []
  for (const [type, data] of [
    ['text', { text: 'Bonjour #prenom#', choices: CARD.choices }],
    ['card', CARD],
    ['carousel', { cards: [CARD, { title: 'Demain' }] }]
  ] as const) {
    const id = await sendRcs(account, { type, data, contacts })
    await untilSummary(account, id, { delivered: 1 })
    sent.unshift(id)
  }
  const theirs = await sendRcs(stranger, { type: 'text', data: { text: 'Theirs' }, contacts })
  await untilSummary(stranger, theirs, { delivered: 1 })

  const shown = { ...CARD, description: 'Jusqu’à samedi, Zoé' }
  const items = await inbox(account, phone)
  assert.deepEqual(
    items.map(({ received_at, ...item }: { received_at: string }) => {
      assert.match(received_at, /^20/)
      return item
    }),
    [
      {
        channel: 'rcs',
        from: AGENT,
        content: 'Soldes\nJusqu’à samedi, Zoé\n\nDemain',
        carousel: { cards: [shown, { title: 'Demain' }] },
        message_id: sent[0]
      },
      { channel: 'rcs', from: AGENT, content: 'Soldes\nJusqu’à samedi, Zoé', card: shown, message_id: sent[1] },
      { channel: 'rcs', from: AGENT, content: 'Bonjour Zoé', choices: CARD.choices, message_id: sent[2] }
    ]
  )
  assert.deepEqual(
    (await inbox(stranger, phone)).map(({ content }: { content: string }) => content),
    ['Theirs']
  )
})

test('an answer from a phone goes back the way the last message came', async (t) => {
  const service = await startService(t, SANDBOX)
  const account = await service.newAccount({ credits: 20 })
  const phone = magic('13')
  const contacts = [{ recipient: phone, prenom: 'Zoé' }]
  const answer = (content: string) => account.expect(200).post(`/sandbox/phones/${phone}/replies`, { content })
  const rcs = await sendRcs(account, { type: 'card', data: CARD, contacts })
  await untilSummary(account, rcs, { delivered: 1 })
  await answer('Oui')
  await answer('Plutôt demain')
  const byRcs = [
    [phone, 'rcs', AGENT, 'Oui', rcs],
    [phone, 'rcs', AGENT, 'Plutôt demain', rcs]
  ]
  await eventually(async () => assert.deepEqual(await replies(account), byRcs))

  const { body } = await account.expect(200).post('/messages/sms', { recipients: [phone], content: 'Bonjour' })
  await untilSummary(account, body.message_id, { delivered: 1 })
  await answer('Merci')
  await eventually(async () =>
    assert.deepEqual(await replies(account), [...byRcs, [phone, 'sms', 'CHAPPE', 'Merci', body.message_id]])
  )
})
