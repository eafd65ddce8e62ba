import { strict as assert } from 'node:assert'
import { freePort } from '../../bench/free-port.ts'
import { findKannel, type Kannel, withKannel } from '../../bench/kannel-process.ts'
import { SERVER_TIMINGS } from '../../src/smpp-server/timings.ts'
import { eventually } from '../checks/eventually.ts'
import { type Call, startCallbackReceiver } from '../peers/callback-receiver.ts'
import { startService, type TestAccount, type TestService, test } from '../service/service.ts'
import { newCredentials } from '../service/smpp-customer.ts'

/*
 * `npm run test:kannel`: Kannel as a customer that binds to Chappe's SMPP server. A customer's program sends over the HTTP of
 * smsbox; bearerbox is bound to Chappe as to its SMSC. Receipts come back at a dlr-url, replies at a get-url.
 */

/** Phones of the sandbox: one receives everything, one is never reached. */
const [DELIVERED, UNDELIVERED] = ['33639980013', '33639980001']
const SHORT_CODE = '36111'
/** Kannel looks for due work every second, and waits a second before it binds again. */
const PATIENCE = { withinMs: 30_000 }
/** Bits of a dlr-mask, which are also the statuses that a dlr-url is called with. */
const DLR = { delivered: 1, undelivered: 2, buffered: 4, accepted: 8, refused: 16 } as const
const DLR_MASK = DLR.delivered | DLR.undelivered | DLR.accepted | DLR.refused

/** What Kannel tells the customer's program. */
interface Customer {
  kannel: Kannel
  url: string
  calls: Call[]
  account: TestAccount
}

test('Kannel submits, and gets receipts and replies, also over a restart of the SMPP server', async (t) => {
  const programs = await findKannel(process.env.CHAPPE_TEST_KANNEL)
  assert.ok(programs, 'Kannel is not installed, so nothing was tested. Install it with: apt-get install kannel')
  const { url, calls } = await startCallbackReceiver(t, () => ({ body: '' }))
  const service = await startService(t)
  const account = await service.newAccount({ credits: 1_000 })
  const { credentials: login } = await newCredentials(account, { binds: 4, binary: true })
  const port = await freePort()
  const startSmppServer = () =>
    service.startPeer(t, {
      settings: { CHAPPE_ROLES: 'smpp', CHAPPE_SMPP_PORT: `${port}` },
      smppTimings: { ...SERVER_TIMINGS, pollMs: 50 }
    })
  const first = await startSmppServer()
  const more = {
    smsc: 'reconnect-delay = 1',
    user: 'max-messages = 10\nconcatenation = true',
    service: `get-url = "${url}/reply?from=%p&to=%P&coding=%c&text=%b"\nmax-messages = 0`
  }
  const options = { smscPort: port, sessions: 2, window: 10, store: 'memory', login, more } as const
  await withKannel(programs, options, async (kannel) => {
    const customer: Customer = { kannel, url, calls, account }
    const delivery = await checkRestart(customer, {
      stop: () => first.stop(),
      startDelivery: () => service.startPeer(t, { settings: { CHAPPE_ROLES: 'api,delivery' } }),
      startAgain: startSmppServer
    })
    await checkMessages(customer)
    await checkReceipts(customer)
    await checkReplies(customer, delivery)
  })
})

/** A receipt waits for the bind, and Kannel keeps what it could not submit. */
async function checkRestart(
  customer: Customer,
  {
    stop,
    startDelivery,
    startAgain
  }: { stop(): Promise<void>; startDelivery(): Promise<TestService>; startAgain(): Promise<TestService> }
): Promise<TestService> {
  await send(customer, 'before', { to: DELIVERED, text: 'Avant' })
  await untilCalled(customer, 'before', [DLR.accepted])
  await stop()
  await send(customer, 'meanwhile', { to: DELIVERED, text: 'Pendant' })
  const delivery = await startDelivery()
  await eventually(async () => {
    const [message] = await listMessages(customer)
    assert.equal(message?.summary.delivered, 1, JSON.stringify(message))
  })
  await startAgain()
  await untilCalled(customer, 'before', [DLR.accepted, DLR.delivered])
  await untilCalled(customer, 'meanwhile', [DLR.accepted, DLR.delivered])
  return delivery
}

const LONG_TEXT = 'Une phrase assez longue [avec des crochets] et un prix de 3 €. '.repeat(6).trim()
const LONG_UNICODE = 'Добрый день, ваш заказ готов 😀. '.repeat(6).trim()

/** Texts arrive as they were written, in one message each. */
async function checkMessages(customer: Customer): Promise<void> {
  const texts = {
    accents: { text: 'Déjà réglé à 5 € @ {Paris} ~' },
    unicode: { text: 'Да 😀', coding: '2' },
    long: { text: LONG_TEXT },
    'long-unicode': { text: LONG_UNICODE, coding: '2' },
    flash: { text: 'Vite', mclass: '0' },
    validity: { text: 'Une heure', validity: '60' }
  }
  for (const [name, fields] of Object.entries(texts)) await send(customer, name, { to: DELIVERED, ...fields })
  await send(customer, 'binary', {
    to: DELIVERED,
    text: '\x01\x02\x7f',
    coding: '1',
    udh: '\x06\x05\x04\x0b\x05\x00\x00'
  })
  for (const name of [...Object.keys(texts), 'binary']) await untilDelivered(customer, name)
  const messages = await listMessages(customer)
  for (const { text } of Object.values(texts)) {
    assert.equal(messages.filter(({ content }) => content === text).length, 1, text)
  }
  const find = (text: string) => messages.find(({ content }) => content === text)
  assert.equal(find('Vite')?.flash, true)
  assert.deepEqual(
    messages.flatMap(({ binary }) => binary ?? []),
    [{ data: '01027f', udh: '0605040b050000' }]
  )
}

/** Receipts of every kind, each after the one before it. */
async function checkReceipts(customer: Customer): Promise<void> {
  await send(customer, 'each', { to: DELIVERED, text: 'Où est-il ?', 'dlr-mask': `${DLR_MASK | DLR.buffered}` })
  await untilCalled(customer, 'each', [DLR.accepted, DLR.buffered, DLR.delivered])
  await send(customer, 'undelivered', { to: UNDELIVERED, text: 'Hélas' })
  await untilCalled(customer, 'undelivered', [DLR.accepted, DLR.undelivered])
  await send(customer, 'refused', { to: '12', text: 'Personne' })
  const [refused] = await untilCalled(customer, 'refused', [DLR.refused])
  assert.match(refused?.query.answer ?? '', /0x0000000b|Invalid Dest/i)
}

/** The phones of the sandbox are in the process that delivers. */
async function checkReplies(customer: Customer, { anonymous }: TestService): Promise<void> {
  const { account, calls } = customer
  // A short code is no number of a country: Kannel would put a + before it.
  await send(customer, 'short-code', { to: DELIVERED, from: SHORT_CODE, text: 'Répondez OUI' })
  await untilDelivered(customer, 'short-code')
  const sandbox = anonymous.as({ 'x-api-key': account.apiKey })
  const texts = ['Oui, déjà @ 5 €', 'Да, конечно', 'volontiers '.repeat(40).trim()]
  for (const content of texts) {
    await sandbox.expect(200).post(`/sandbox/phones/${DELIVERED}/replies`, { content })
  }
  await eventually(() => {
    const replies = calls.filter(({ path }) => path === '/reply')
    assert.deepEqual(replies.map(toText).sort(), texts.toSorted(), JSON.stringify(replies))
    for (const { query } of replies) assert.deepEqual([query.from, query.to], [`+${DELIVERED}`, SHORT_CODE])
  }, PATIENCE)
}

/** Kannel passes UCS-2 on as it is. */
function toText({ query: { coding, text = '' } }: Call): string {
  return coding === '2' ? Buffer.from(text, 'latin1').swap16().toString('utf16le') : text
}

interface SentMessage {
  content: string
  summary: { delivered: number }
  flash?: boolean
  binary?: { data: string; udh: string }
}

async function listMessages({ account }: Customer): Promise<SentMessage[]> {
  return (await account.expect(200).get('/messages?limit=100')).body.items
}

/** Sends over Kannel, which calls back at a path of this name. */
async function send({ kannel, url }: Customer, name: string, fields: Record<string, string>): Promise<void> {
  const query = new URLSearchParams({
    username: 'bench',
    password: 'bench',
    from: 'CHAPPE',
    charset: 'UTF-8',
    'dlr-mask': `${DLR_MASK}`,
    'dlr-url': `${url}/${name}?status=%d&answer=%A&id=%F`,
    ...fields
  })
  const answer = await fetch(`${kannel.url}/cgi-bin/sendsms?${query}`)
  // Without a bind, Kannel keeps it.
  assert.match(`${answer.status} ${await answer.text()}`, /^202 (0: Accepted for|3: Queued for later) delivery$/)
}

/** Waits until Kannel has called back with these statuses, in this order. */
function untilCalled({ calls }: Customer, name: string, statuses: readonly number[]): Promise<Call[]> {
  return eventually(() => {
    const called = calls.filter(({ path }) => path === `/${name}`)
    assert.deepEqual(
      called.map(({ query }) => Number(query.status)),
      statuses,
      JSON.stringify(calls.map(({ path, query }) => ({ path, query })))
    )
    return called
  }, PATIENCE)
}

/** Waits until a message, with all of its parts, is delivered. */
function untilDelivered({ calls }: Customer, name: string): Promise<void> {
  return eventually(() => {
    const statuses = calls.filter(({ path }) => path === `/${name}`).map(({ query }) => Number(query.status))
    assert.ok(statuses.includes(DLR.delivered), `${name}: ${statuses}`)
  }, PATIENCE)
}
