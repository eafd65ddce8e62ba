import { strict as assert } from 'node:assert'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { answerJson, type Got, type Provider, startProvider, toCarrier } from '../../src/carriers/http/http.samples.ts'
import { eventually } from '../checks/eventually.ts'
import { assertLedgerHolds } from '../checks/ledger.ts'
import {
  countDoubts,
  type DeliveringService,
  decideDoubts,
  mobiles,
  readRecipients,
  send,
  startDelivering,
  untilSummary
} from '../messages/sending.ts'
import type { CarrierEntry } from '../peers/smsc.ts'
import { test } from '../service/service.ts'

const [PHONE = '', OTHER = ''] = mobiles(2)

/** Posts as a provider does, whatever the form. */
function post(url: string, body: object, headers: Record<string, string> = {}, asForm = false): Promise<Response> {
  const text = asForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body)
  const type = asForm ? 'application/x-www-form-urlencoded' : 'application/json'
  return fetch(url, { method: 'POST', body: text, headers: { 'content-type': type, ...headers } })
}

function report(service: DeliveringService, reports: object[], secret = 'h-1'): Promise<Response> {
  const body = { reports }
  const signature = createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex')
  return post(`${service.url}/carriers/http/web/receipts`, body, { 'x-signature': signature })
}

async function startWeb(t: TestContext, onRequest: Provider['onRequest'], fields: object = {}) {
  const provider = await startProvider(t, onRequest)
  // An answer that comes late on a busy machine must not put its recipient in doubt.
  const service = await startDelivering(t, [toCarrier(provider.url, { answerTimeout: 60, ...fields }) as CarrierEntry])
  const account = await service.newAccount({ credits: 20 })
  return { provider, service, account }
}

test('receipts that come first, twice, out of order, unknown and wrongly signed move each recipient once', async (t) => {
  let count = 0
  const { provider, service, account } = await startWeb(t, (_, response) => {
    const id = `m-${++count}`
    // The first report comes before the answer that brings its id.
    const first = count === 1 ? report(service, [{ id, state: 'DELIVERED', to: PHONE }]) : Promise.resolve()
    void first.then(() => answerJson(response, 200, { id }))
  })
  const first = await send(account, { recipients: [PHONE] })
  await untilSummary(account, first, { delivered: 1 })
  assert.equal(JSON.parse(provider.got[0]?.text ?? '').hook, 'https://sms.example.com/carriers/http/web/receipts')

  const second = await send(account, { recipients: [OTHER] })
  await untilSummary(account, second, { sent: 1 })
  const failed = { id: 'm-2', state: 'FAILED', to: OTHER.slice(1), error: 'E7', at: '2026-11-16T10:00:00Z' }
  const delivered = { ...failed, state: 'DELIVERED' }
  assert.equal((await report(service, [failed], 'another')).status, 401)
  assert.equal((await post(`${service.url}/carriers/http/web/receipts`, {})).status, 401)
  assert.equal((await post(`${service.url}/carriers/http/nobody/receipts`, {})).status, 404)
  await untilSummary(account, second, { sent: 1 })

  const several = [
    { ...failed, state: 'QUEUED' },
    { id: 'nobody', state: 'DELIVERED' },
    { state: 'X' },
    failed,
    delivered
  ]
  assert.equal((await report(service, several)).status, 200)
  assert.equal((await report(service, [delivered])).status, 200)
  await untilSummary(account, second, { failed: 1 })
  assert.match((await readRecipients(account, second))[0]?.errorcode ?? '', /E7/)
  await untilSummary(account, first, { delivered: 1 })
  const [parked] = await service.pool`select count(*)::integer as count from parked_receipts`
  assert.ok(Number(parked?.count) >= 1, 'the unknown one waits')
  assert.ok(service.logLines.some((line) => line.includes('posted items could not be read')))
  await eventually(async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(metrics, /chappe_receipts_total\{carrier="web"\} [4-9]/)
    assert.match(metrics, /chappe_submits_total\{carrier="web"\} 2/)
    assert.match(metrics, /chappe_submit_answers_total\{carrier="web",status="200"\} 2/)
  })
  await eventually(async () => {
    const { body } = await service.operator.expect(200).get('/carriers')
    assert.deepEqual([body[0].type, body[0].is_up, body[0].processes.length], ['http', true, 1])
  })
  const log = service.logLines.join('\n')
  for (const secret of ['k-1', 'h-1']) assert.ok(!log.includes(secret), 'no secret is logged')
  await assertLedgerHolds(service.pool)
})

test('a reply is stored once however often it is posted, needs its key, and a STOP opts out', async (t) => {
  const { service, account } = await startWeb(t, (_, response) => answerJson(response, 200, { id: 'm-1' }))
  const id = await send(account, { recipients: [PHONE], sender: '36111' })
  await untilSummary(account, id, { sent: 1 })
  const address = `${service.url}/carriers/http/web/replies`
  const reply = { id: 'r-1', from: PHONE, to: '36111', text: 'Merci 👋' }
  assert.equal((await post(address, reply)).status, 401)
  assert.equal((await post(`${address}?key=h-2`, reply)).status, 401)
  const posts = await Promise.all([1, 2, 3].map(() => post(`${address}?key=h-1`, reply, {}, true)))
  assert.deepEqual(
    posts.map(({ status }) => status),
    [200, 200, 200]
  )
  assert.equal((await post(`${address}?key=h-1`, { ...reply, id: 'r-2', text: 'STOP' })).status, 200)
  const { body } = await account.expect(200).get('/messages/replies')
  assert.deepEqual(body.items.map(({ content }: { content: string }) => content).sort(), ['Merci 👋', 'STOP'])
  assert.equal((await service.pool`select from stops`).length, 1)
  assert.ok(!service.logLines.join('\n').includes('key=h-1'), 'the key of the address is not logged')
})

test('a failure after the provider took it is in doubt; a receipt settles it, and nothing is sent twice', async (t) => {
  const { provider, service, account } = await startWeb(t, (_, response) => answerJson(response, 500, {}))
  const id = await send(account, { recipients: [PHONE] })
  await eventually(async () => assert.equal(await countDoubts(service), 1))
  assert.equal((await report(service, [{ id: 'm-9', state: 'DELIVERED', to: PHONE }])).status, 200)
  await decideDoubts(service)
  await untilSummary(account, id, { delivered: 1 })
  assert.equal(provider.got.length, 1)
  await assertLedgerHolds(service.pool)
})

test('polled news is read by its cursor, and again when it could not be stored', async (t) => {
  const replies = Array.from({ length: 5 }, (_, index) => ({
    id: `r-${index}`,
    from: PHONE,
    to: '36111',
    text: `${index}`
  }))
  const asked: string[] = []
  let isOpen = false
  const onRequest: Provider['onRequest'] = ({ url }, response) => {
    if (url.pathname === '/send') return answerJson(response, 200, { id: 'm-1' })
    const after = Number(url.searchParams.get('after'))
    asked.push(String(after))
    const items = isOpen ? replies.slice(after, after + 2) : []
    return answerJson(response, 200, { items, next: String(after + items.length) })
  }
  const provider = await startProvider(t, onRequest)
  const carrier = toCarrier(provider.url, {
    replies: {
      poll: {
        request: { url: `${provider.url}/inbox?after={{cursor}}`, headers: { 'X-Key': '{{secret:key}}' } },
        every: 0.2,
        cursor: 'next',
        first: '0'
      },
      items: 'items',
      id: 'id',
      from: 'from',
      to: 'to',
      text: 'text'
    }
  }) as CarrierEntry
  const service = await startDelivering(t, [carrier], { isWaitedFor: false })
  // The third reply can't be stored at first, as if the process died between the read and the commit.
  await service.pool`
    create function refuse_third() returns trigger language plpgsql as $$
    begin
      if new.content = '2' then raise exception 'no room'; end if;
      return new;
    end $$
  `
  await service.pool`create trigger refuse_third before insert on replies for each row execute function refuse_third()`
  isOpen = true
  await eventually(() => assert.ok(asked.filter((after) => after === '2').length >= 2, asked.join()))
  const [poll] = await service.pool`select cursor from carrier_polls where carrier = 'web'`
  assert.equal(poll?.cursor, '2', 'the cursor waits for what is not stored')
  await service.pool`drop trigger refuse_third on replies`
  await eventually(async () => {
    const [row] = await service.pool`select cursor from carrier_polls where carrier = 'web'`
    assert.equal(row?.cursor, '5')
  })
  const stored = await service.pool`select content from replies order by content`
  assert.deepEqual(
    stored.map(({ content }) => content),
    ['0', '1', '2', '3', '4']
  )
  assert.equal(provider.got.find(({ url }) => url.pathname === '/inbox')?.headers['x-key'], 'k-1')
})

/** The example of the docs, sent to a stand-in instead of the provider's host. */
async function startExample(t: TestContext, name: string, host: string, onRequest: Provider['onRequest']) {
  const provider = await startProvider(t, onRequest)
  const text = readFileSync(join(import.meta.dirname, '../../docs/examples', `${name}.json`), 'utf8')
  const { carriers } = JSON.parse(text.replaceAll(`https://${host}`, provider.url))
  const service = await startDelivering(t, carriers)
  const account = await service.newAccount({ credits: 20 })
  return { provider, service, account }
}

/** The address that the request gave us, at the service of the test. */
function atService(service: DeliveringService, address: string | null | undefined): string {
  return String(address).replace('https://sms.example.com', service.url)
}

const formOf = ({ text }: Got) => new URLSearchParams(text)

test('docs/examples/twilio.json: sends, signed receipts and replies as Twilio documents them', async (t) => {
  const { provider, service, account } = await startExample(t, 'twilio', 'api.twilio.com', (got, response) => {
    const to = formOf(got).get('To')
    if (to === OTHER) answerJson(response, 400, { code: 21211, message: "Invalid 'To' Phone Number", status: 400 })
    else answerJson(response, 201, { sid: 'SM1', status: 'queued', error_code: null })
  })
  const id = await send(account, { recipients: [PHONE, OTHER] })
  await untilSummary(account, id, { sent: 1, failed: 1 })
  const sent = provider.got.find((got) => formOf(got).get('To') === PHONE) as Got
  assert.equal(sent.url.pathname, '/2010-04-01/Accounts/AC00000000000000000000000000000000/Messages.json')
  const basic = Buffer.from('AC00000000000000000000000000000000:your-auth-token').toString('base64')
  assert.equal(sent.headers.authorization, `Basic ${basic}`)
  assert.deepEqual([formOf(sent).get('From'), formOf(sent).get('Body')], ['+33937123456', 'Bonjour'])

  const callback = async (address: string, fields: Record<string, string>) => {
    const pairs = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1))
    const signature = createHmac('sha1', 'your-auth-token')
      .update(address + pairs.flat().join(''))
      .digest('base64')
    return post(atService(service, address), fields, { 'x-twilio-signature': signature }, true)
  }
  const address = formOf(sent).get('StatusCallback') ?? ''
  const fields = { MessageSid: 'SM1', MessageStatus: 'sent', To: PHONE, AccountSid: 'AC0', ApiVersion: '2010-04-01' }
  assert.equal((await callback(address, fields)).status, 200)
  await untilSummary(account, id, { sent: 1, failed: 1 })
  assert.equal((await callback(address, { ...fields, MessageStatus: 'delivered' })).status, 200)
  await untilSummary(account, id, { delivered: 1, failed: 1 })
  const reply = { MessageSid: 'SM2', From: PHONE, To: '+33937123456', Body: 'Oui & non' }
  const answered = await callback('https://sms.example.com/carriers/http/twilio/replies', reply)
  assert.deepEqual([answered.status, await answered.text()], [200, '<Response/>'])
  assert.match(answered.headers.get('content-type') ?? '', /^text\/xml/)
  const { body } = await account.expect(200).get('/messages/replies')
  assert.equal(body.items[0].content, 'Oui & non')
})

test('docs/examples/vonage.json: a long text has a receipt for each segment, and a throttled one is tried again', async (t) => {
  let throttled = 1
  const { provider, service, account } = await startExample(t, 'vonage', 'rest.nexmo.com', (got, response) => {
    if (throttled-- > 0)
      return answerJson(response, 200, { messages: [{ status: '1', 'error-text': 'Throughput Rate Exceeded' }] })
    const count = (formOf(got).get('text') ?? '').length > 160 ? 2 : 1
    const messages = Array.from({ length: count }, (_, index) => ({
      status: '0',
      'message-id': `0A${index}`,
      to: formOf(got).get('to')
    }))
    return answerJson(response, 200, { 'message-count': String(count), messages })
  })
  const id = await send(account, { recipients: [PHONE], content: 'a'.repeat(200) })
  await untilSummary(account, id, { sent: 1 })
  const form = formOf(provider.got.at(-1) as Got)
  assert.equal(provider.got.length, 2)
  assert.deepEqual([form.get('from'), form.get('to'), form.get('type')], ['MYSHOP', PHONE.slice(1), 'text'])
  const receipt = (messageId: string) => ({
    msisdn: PHONE.slice(1),
    to: 'MYSHOP',
    'network-code': '20801',
    messageId,
    status: 'delivered',
    'err-code': '0',
    'message-timestamp': '2026-11-16 12:10:29'
  })
  assert.equal((await post(atService(service, form.get('callback')), receipt('0A0'))).status, 200)
  await untilSummary(account, id, { sent: 1 })
  assert.equal((await post(atService(service, form.get('callback')), receipt('0A1'))).status, 200)
  await untilSummary(account, id, { delivered: 1 })
  const segment = (part: number, text: string) => ({
    msisdn: PHONE.slice(1),
    to: '33937123456',
    messageId: `0B${part}`,
    text,
    type: 'text',
    concat: 'true',
    'concat-ref': '7',
    'concat-total': '2',
    'concat-part': String(part)
  })
  const replies = `${service.url}/carriers/http/vonage/replies?key=a-long-random-text`
  assert.equal((await post(replies, segment(2, 'bien'))).status, 200)
  assert.equal((await post(replies, segment(1, 'Très '))).status, 200)
  const { body } = await account.expect(200).get('/messages/replies')
  assert.equal(body.items[0].content, 'Très bien')
})

test('docs/examples/infobip.json: JSON, several receipts in one post, and a refusal in a good answer', async (t) => {
  const { provider, service, account } = await startExample(t, 'infobip', 'xxxxx.api.infobip.com', (got, response) => {
    const [{ destinations }] = JSON.parse(got.text).messages
    const isRefused = destinations[0].to === OTHER.slice(1)
    const status = isRefused
      ? { groupId: 5, groupName: 'REJECTED', id: 51, name: 'MISSING_TO', description: 'Missing destination.' }
      : { groupId: 1, groupName: 'PENDING', id: 26, name: 'PENDING_ACCEPTED', description: 'Message accepted' }
    answerJson(response, 200, { messages: [{ messageId: `i-${destinations[0].to}`, status }] })
  })
  const third = '+33612000007'
  const id = await send(account, { recipients: [PHONE, OTHER, third] })
  await untilSummary(account, id, { sent: 2, failed: 1 })
  const sent = provider.got.find(({ text }) => text.includes(PHONE.slice(1))) as Got
  assert.equal(sent.headers.authorization, 'App your-api-key')
  const [message] = JSON.parse(sent.text).messages
  assert.equal(typeof message.options.validityPeriod.amount, 'number')
  assert.equal(message.options.flash, false)
  const result = (phone: string, groupName: string) => ({
    messageId: `i-${phone.slice(1)}`,
    to: phone.slice(1),
    doneAt: '2026-11-16T16:00:00.000+0000',
    status: { groupName },
    error: { name: groupName === 'DELIVERED' ? 'NO_ERROR' : 'EC_ABSENT_SUBSCRIBER' }
  })
  const address = atService(service, message.webhooks.delivery.url)
  const posted = { results: [result(PHONE, 'DELIVERED'), result(third, 'UNDELIVERABLE')] }
  assert.equal((await post(address, posted)).status, 200)
  await untilSummary(account, id, { delivered: 1, failed: 2 })
  await assertLedgerHolds(service.pool)
})
