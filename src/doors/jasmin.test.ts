import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { ask, startCallbackReceiver } from '../../test/peers/callback-receiver.ts'
import { startService, test } from '../../test/service/service.ts'
import { readMoment } from './jasmin-moment.ts'

const UUID = /^Success "([0-9a-f]{8}-0000-8000-8[0-9a-f]{3}-[0-9a-f]{12})"$/

test('/send, /rate, /balance and /ping answer what Jasmin answers', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_DOORS: 'jasmin' } })
  const account = await service.newAccount({ credits: 15 })
  const user = { username: account.appId, password: account.apiKey }
  const send = (fields: object, path = '/send') =>
    ask(`${service.url}${path}?${new URLSearchParams({ ...user, ...fields } as Record<string, string>)}`)
  const last = async () => (await account.expect(200).get('/messages?limit=1')).body.items[0]

  const wrong: [fields: object, sentence: string][] = [
    [{ content: 'a' }, 'Mandatory argument [to] is not found.'],
    [{ to: 'abc', content: 'a' }, 'Argument [to] has an invalid value: [abc].'],
    [{ to: '33639980013' }, 'content or hex-content not present.'],
    [{ to: '33639980013', content: 'a', 'hex-content': '61' }, BOTH],
    [{ to: '33639980013', content: 'a', color: 'red' }, 'Argument [color] is unknown.'],
    [{ to: '33639980013', content: 'a', coding: '11' }, 'Argument [coding] has an invalid value: [11].'],
    [{ to: '33639980013', content: 'a', priority: '4' }, 'Argument [priority] has an invalid value: [4].'],
    [{ to: '33639980013', content: 'a', 'dlr-level': '9' }, 'Argument [dlr-level] has an invalid value: [9].'],
    [{ to: '33639980013', content: 'a', 'dlr-method': 'put' }, 'Argument [dlr-method] has an invalid value: [put].'],
    [{ to: '33639980013', content: 'a', 'dlr-url': 'ftp://x' }, 'Argument [dlr-url] has an invalid value: [ftp://x].'],
    [{ to: '33639980013', content: 'a', tags: 'a b' }, 'Argument [tags] has an invalid value: [a b].'],
    [{ to: '33639980013', content: 'a', sdt: 'soon' }, 'Argument [sdt] has an invalid value: [soon].'],
    [{ to: '33639980013', 'hex-content': 'xyz' }, "Invalid hex-content data: 'xyz'"]
  ]
  for (const [fields, sentence] of wrong) assert.deepEqual(await send(fields), [400, `Error "${sentence}"`])
  const stranger = { to: '33639980013', content: 'a', username: 'foo', password: 'bar' }
  assert.deepEqual(await send(stranger), [403, 'Error "Authentication failure for username:foo"'])
  assert.deepEqual(await ask(`${service.url}/balance?username=foo&password=bar`), [
    403,
    '"Authentication failure for username:foo"'
  ])
  assert.deepEqual(await ask(`${service.url}/balance`), [400, `"${NOTHING}"`])
  assert.deepEqual(await ask(`${service.url}/ping`), [200, 'Jasmin/PONG'])
  assert.equal((await account.expect(200).get('/messages')).body.items.length, 0)

  const [status, success] = await send({ to: '33639980013', content: 'Hello é €', from: 'BOUTIQUE', tags: '1,702' })
  assert.equal(status, 200)
  const id = UUID.exec(success)?.[1] ?? ''
  const { id: messageId, content, sender } = await last()
  assert.deepEqual([content, sender], ['Hello é €', 'BOUTIQUE'])
  const { body: recipients } = await account.expect(200).get(`/messages/${messageId}/recipients/sms`)
  assert.equal(Number.parseInt(id.slice(-12), 16), recipients.items[0].id, 'the id of the recipient is in it')

  const texts: [fields: object, content: string][] = [
    [{ coding: '8', 'hex-content': '0416' }, 'Ж'],
    [{ coding: '3', 'hex-content': 'e974e9' }, 'été'],
    [{ coding: '6', 'hex-content': 'b6' }, 'Ж'],
    [{ 'hex-content': '6869' }, 'hi'],
    [{ content: '#name#' }, '#name#']
  ]
  for (const [fields, content] of texts) {
    assert.match((await send({ to: '33639980013', ...fields }))[1], UUID)
    assert.equal((await last()).content, content)
  }
  const later = await send({ to: '33639980013', content: 'a', sdt: '000001000000000R' })
  assert.match(later[1], UUID)
  assert.equal((await last()).state, 'scheduled')

  const json = { to: '33639980013', content: 'JSON', priority: 2, ...user }
  const post = (body: string, type: string) =>
    ask(`${service.url}/send`, { method: 'POST', body, headers: { 'content-type': type } })
  assert.match((await post(JSON.stringify(json), 'application/json'))[1], UUID)
  assert.equal((await last()).content, 'JSON')
  const form = new URLSearchParams({ to: '33639980013', content: 'Form', ...user }).toString()
  assert.match((await post(form, 'application/x-www-form-urlencoded'))[1], UUID)
  assert.equal((await last()).content, 'Form')
  assert.deepEqual(await post('{"to":', 'application/json'), [400, 'Error "The body is not valid JSON."'])
  assert.deepEqual(await post(JSON.stringify({ ...json, to: ['1'] }), 'application/json'), [
    400,
    'Error "Argument [to] has an invalid value: [["1"]]."'
  ])

  const spent = 15 - (await account.expect(200).get('/users/credits')).body[0].credits
  assert.deepEqual(await send({}, '/balance'), [200, `{"balance":${15 - spent},"sms_count":"ND"}`])
  assert.deepEqual(await send({ to: '33639980013' }, '/rate'), [200, '{"unit_rate":1,"submit_sm_count":1}'])
  const long = { to: '33639980013', content: 'x'.repeat(200) }
  assert.deepEqual(await send(long, '/rate'), [200, '{"unit_rate":1,"submit_sm_count":2}'])
  assert.deepEqual(await send({ content: 'a' }, '/rate'), [400, '"Mandatory argument [to] is not found."'])
  const tooMuch = await send({ to: '33639980013', content: 'x'.repeat(1_500) })
  assert.deepEqual(tooMuch, [403, 'Error "Cannot charge submit_sm, check RouterPB log file for details"'])
})

const BOTH = 'content and hex-content cannot be used both in same request.'
const NOTHING = 'Mandatory arguments not found, please refer to the HTTPAPI specifications.'

test('times of SMPP are read', () => {
  const now = new Date('2026-11-16T12:00:00Z')
  const cases: [text: string, moment: string][] = [
    ['000000000100000R', '2026-11-16T12:01:00.000Z'],
    ['000102030405600R', '2026-12-18T15:04:05.600Z'],
    ['261116140000004+', '2026-11-16T13:00:00.000Z'],
    ['261116100000004-', '2026-11-16T11:00:00.000Z']
  ]
  for (const [text, moment] of cases) assert.equal(readMoment(text, now).toISOString(), moment, text)
  for (const text of ['269916140000004+', '261131140000004+', '261116990000004+', 'R']) {
    assert.throws(() => readMoment(text, now), /Argument \[sdt\]/)
  }
})

test('reports are told as Jasmin tells them, again until they are acknowledged', async (t) => {
  let isAwake = false
  const receiver = await startCallbackReceiver(t, ({ path }) =>
    path === '/slow' && !isAwake ? { body: 'OK' } : path === '/gone' ? { status: 410 } : {}
  )
  const service = await startService(t, {
    settings: { CHAPPE_DOORS: 'jasmin', CHAPPE_ROLES: 'all', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  })
  const account = await service.newAccount({ credits: 100 })
  const send = async (to: string, path: string, more: Record<string, string>) => {
    const fields = { username: account.appId, password: account.apiKey, to, content: 'Bonjour le monde' }
    const query = new URLSearchParams({ ...fields, 'dlr-url': `${receiver.url}/${path}?mine=1`, ...more })
    return UUID.exec((await ask(`${service.url}/send?${query}`))[1])?.[1]
  }
  const at = (path: string) => receiver.calls.filter((call) => call.path === `/${path}`)
  const both = await send('33639980013', 'both', { 'dlr-level': '3', 'dlr-method': 'GET' })
  const failed = await send('33639980001', 'failed', { 'dlr-level': '2', 'dlr-method': 'POST' })
  const refused = await send('33639980002', 'refused', { 'dlr-level': '1' })
  await send('33639980014', 'none', { dlr: 'no' })
  await send('33639980015', 'gone', { 'dlr-level': '2' })
  await eventually(() => {
    assert.deepEqual(
      [at('both'), at('failed'), at('refused'), at('gone')].map(({ length }) => length),
      [2, 1, 1, 1]
    )
  })
  const [first, second] = at('both').map(({ method, query }) => ({ method, ...query })) as Record<string, string>[]
  const connector = first?.connector
  assert.deepEqual(first, { method: 'GET', mine: '1', id: both, level: '1', connector, message_status: 'ESME_ROK' })
  assert.deepEqual(
    [second?.id, second?.level, second?.message_status, second?.sub, second?.dlvrd, second?.err, second?.text],
    [both, '2', 'DELIVRD', '001', '001', '000', 'Bonjour le monde']
  )
  assert.match(`${second?.subdate} ${second?.donedate} ${second?.id_smsc}`, /^\d{10} \d{10} \S+$/)
  const [{ method, query, form } = assert.fail()] = at('failed')
  assert.deepEqual(
    [method, query.mine, form.id, form.message_status, form.err],
    ['POST', '1', failed, 'UNDELIV', '001']
  )
  assert.deepEqual([at('refused')[0]?.form.id, at('refused')[0]?.form.level], [refused, '1'])
  assert.match(at('refused')[0]?.form.message_status ?? '', /^ESME_R(?!OK)/)

  await send('33639980016', 'slow', { 'dlr-level': '2' })
  await eventually(async () => {
    assert.equal(at('slow').length, 1)
    const [row] = await service.pool`select attempts, due_at > now() + interval '3 s' as is_later from callback_queue`
    assert.deepEqual(row, { attempts: 1, isLater: true })
  })
  isAwake = true
  await service.pool`update callback_queue set due_at = now()`
  await eventually(async () => {
    assert.equal(at('slow').length, 2)
    assert.equal((await service.pool`select from callback_queue`).length, 0)
  })
  assert.equal(at('gone').length, 1, '410: nobody is there any more')
  assert.equal(at('none').length, 0)
})
