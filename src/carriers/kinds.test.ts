import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { TestContext } from 'node:test'
import Type from 'typebox'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { carriersFile, carrierTo } from '../../test/peers/smsc.ts'
import { startService, test } from '../../test/service/service.ts'
import { notFound, Refusal } from '../errors.ts'
import { callback } from '../http/callback.ts'
import { parseCarriersFile } from './carriers-file.ts'
import type { CarrierKind } from './kind.ts'
import { CARRIER_KINDS } from './kinds.ts'
import { CarriersFileMistakes } from './mistakes.ts'
import { shelfOf, type ToySettings, toy } from './toy.samples.ts'

/** The toy with the operations that its peer calls over HTTP: one for replies, one for receipts. */
const toyOverHttp: CarrierKind<ToySettings> = {
  ...toy,
  callbacks: ({ carriers, inbound }) => {
    const described = {
      tag: 'Beyond',
      summary: 'News of a toy',
      description: 'Where a toy posts its news.',
      headers: { 'X-Toy': 'The name of the shelf.' },
      challenge: 'Toy realm="chappe"',
      plainText: 'None.',
      answer: Type.Object({ success: Type.Boolean() }),
      refusals: { unauthorized: 'The shelf is another.', not_found: 'There is no toy of this name.' },
      admit({ params, headers }: { params: { name: string }; headers: IncomingHttpHeaders }) {
        const carrier = carriers().find(({ name }) => name === params.name)
        if (!carrier) throw notFound('toy')
        if (headers['x-toy'] !== carrier.shelf) throw new Refusal(401, 'unauthorized', 'The shelf is another.')
      }
    } as const
    return [
      callback({
        ...described,
        route: 'POST /carriers/toy/{name}/replies',
        id: 'receiveToyReply',
        body: Type.Object({ from: Type.String(), to: Type.String(), text: Type.String() }),
        example: { body: { from: '+33612345678', to: '36111', text: 'Oui' }, answer: { success: true } },
        async handle({ params, body }) {
          await inbound.onReply({ carrier: params.name, ...body })
          return { success: true }
        }
      }),
      callback({
        ...described,
        route: 'POST /carriers/toy/{name}/receipts',
        id: 'receiveToyReceipt',
        body: Type.Object({ messageId: Type.String(), phone: Type.String() }),
        example: { body: { messageId: '7', phone: '+33612345678' }, answer: { success: true } },
        async handle({ params, body }) {
          const named = { carrier: params.name, carrierMessageId: body.messageId, source: body.phone, destination: '' }
          await inbound.onReport({ ...named, state: 'delivered', word: 'SEEN', errorCode: '', at: new Date() })
          return { success: true }
        }
      })
    ]
  }
}
const kinds = [...CARRIER_KINDS, toyOverHttp]

async function startWithToy(t: TestContext) {
  const shelf = randomUUID()
  const carrier = { name: 'shelf', type: 'toy', shelf, numbers: ['36111'], sender: '36111', stopMention: 'STOP 36111' }
  // Of another kind, on the same route. Nobody answers there.
  const backup = carrierTo({ host: '127.0.0.1', port: 1 }, { name: 'backup' })
  const routes = [{ prefix: '', carriers: ['shelf', 'backup'] }]
  const file = await carriersFile(t, [backup, carrier], routes)
  const settings = { CHAPPE_CARRIERS: file.path, CHAPPE_ROLES: 'api,delivery' }
  const service = await startService(t, { settings, kinds })
  return { ...service, file, routes, backup, carrier, shelf: shelfOf(shelf) }
}

test('a kind that is a folder and a line goes from the carriers file to the route, the send, the receipt and the status', async (t) => {
  const { operator, newAccount, pool, anonymous, carrier, shelf } = await startWithToy(t)
  const account = await newAccount({ credits: 10 })
  const { body: sent } = await account
    .expect(200)
    .post('/messages/sms', { recipients: ['+33639980001', '+33639980002'], content: 'Bonjour' })
  await eventually(async () => {
    const { body } = await account.expect(200).get(`/messages/${sent.message_id}`)
    assert.equal(body.summary.delivered, 2)
  })
  assert.deepEqual(
    shelf.messages.map(({ to, from, text }) => [to, from, text]).sort(),
    ['+33639980001', '+33639980002'].map((to) => [to, '36111', 'Bonjour'])
  )

  await eventually(async () => {
    const { body } = await operator.expect(200).get('/carriers')
    const [backup, toy, ...others] = body
    assert.deepEqual([others, backup.name, backup.is_up], [[], 'backup', false])
    const { processes, ...rest } = toy
    assert.deepEqual(rest, {
      name: 'shelf',
      type: 'toy',
      channels: ['sms'],
      is_up: true,
      sending: 'on',
      sending_since: null,
      cost: null,
      sessions: 0,
      message_id_format: 'as-is',
      learned_id_form: 'as-is',
      routes: [{ channel: 'sms', prefix: '', rank: 1 }],
      binds: []
    })
    assert.deepEqual([processes.length, processes[0].is_up, processes[0].capacity], [1, true, 100])
  })

  const reply = { from: '+33639980001', to: '36111', text: 'Merci' }
  await anonymous.expect(404).post('/carriers/toy/backup/replies', reply)
  await anonymous.expect(401).post('/carriers/toy/shelf/replies', reply)
  await anonymous.expect(200).post('/carriers/toy/shelf/replies', reply, { 'x-toy': carrier.shelf })
  const { body: replies } = await account.expect(200).get('/messages/replies')
  assert.deepEqual([replies.items[0].content, replies.items[0].message_id], ['Merci', sent.message_id])
  await assertLedgerHolds(pool)
})

test('a receipt over HTTP is stored when it is answered, and moves its recipient once', async (t) => {
  const { newAccount, anonymous, carrier, shelf, pool } = await startWithToy(t)
  shelf.reportsAtOnce = false
  const account = await newAccount({ credits: 10 })
  const phone = '+33639980001'
  const { body } = await account.expect(200).post('/messages/sms', { recipients: [phone], content: 'Bonjour' })
  const summary = async () => (await account.expect(200).get(`/messages/${body.message_id}`)).body.summary
  await eventually(async () => assert.equal((await summary()).sent, 1))
  const receipt = { messageId: shelf.ids.get(phone), phone }
  for (let times = 0; times < 2; times++) {
    await anonymous.expect(200).post('/carriers/toy/shelf/receipts', receipt, { 'x-toy': carrier.shelf })
    assert.deepEqual([(await summary()).sent, (await summary()).delivered], [0, 1])
  }
  await assertLedgerHolds(pool)
})

test('the file is read again: a toy that changed is started anew, and one that left takes nothing more', async (t) => {
  const { operator, reload, file, routes, backup, carrier, shelf } = await startWithToy(t)
  const other = randomUUID()
  await file.write([backup, { ...carrier, shelf: other }], routes)
  await reload()
  await operator.expect(200).post('/messages/sms', { recipients: ['+33639980001'], content: 'Bonjour' })
  await eventually(() => assert.equal(shelfOf(other).messages.length, 1))
  assert.equal(shelf.messages.length, 0)

  await file.write([backup], [{ prefix: '', carriers: ['backup'] }])
  await reload()
  const { body } = await operator.expect(200).get('/carriers')
  assert.deepEqual(
    body.map(({ name }: { name: string }) => name),
    ['backup']
  )
})

test('its mistakes are told like those of every kind', () => {
  const toyOf = (fields: object) => ({ name: 'shelf', type: 'toy', shelf: 'left', ...fields })
  const mistakesOf = (carriers: object[], routes: object[], given = kinds) => {
    try {
      parseCarriersFile(JSON.stringify({ carriers, routes }), { path: 'f', folder: '.', kinds: given })
      return []
    } catch (error) {
      assert.ok(error instanceof CarriersFileMistakes)
      return error.mistakes
    }
  }
  const route = { channel: 'sms', prefix: '', carriers: ['shelf'] }
  assert.deepEqual(mistakesOf([toyOf({})], [route]), [])
  assert.deepEqual(mistakesOf([toyOf({ shelf: '', sender: '3' })], [{ ...route, channel: 'rcs' }]).length, 3)
  assert.deepEqual(mistakesOf([toyOf({})], [{ ...route, channel: 'rcs' }]), [
    'f, line 1, routes[0].carriers[0]: must name a carrier of type rbm, for rcs; "shelf" is of type toy.'
  ])
  assert.deepEqual(mistakesOf([toyOf({})], [route], [...CARRIER_KINDS]), [
    'f, line 1, carriers[0].type: must be "smpp" or "rbm" or "http"; it is "toy".'
  ])
})

test('every kind has a name of its own, and an example of the type that it is', () => {
  const names = CARRIER_KINDS.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  for (const { name, example, channels, settings } of CARRIER_KINDS) {
    assert.deepEqual([example.type, example.channels], [name, channels])
    assert.ok(channels.length > 0)
    assert.ok('name' in settings.properties && 'type' in settings.properties)
  }
})
