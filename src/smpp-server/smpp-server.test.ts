import { strict as assert } from 'node:assert'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  bindForeign,
  ERRORS,
  ForeignClient,
  textOf,
  tryBind,
  waitForReceipts
} from '../../simulator/smpp/foreign-client.ts'
import { eventually } from '../../test/checks/eventually.ts'
import { DELIVERED, NO_SENDER, newCredentials, startCustomer } from '../../test/service/smpp-customer.ts'
import { STATUSES_BY_CODE, STATUSES_BY_FIELD } from './statuses.ts'

/* The foreign client is the npm package `smpp`; the carriers are those of the sandbox. */

test('a submit is a message like every other, and its receipt comes to the bind', async (t) => {
  const { account, address, credentials } = await startCustomer(t)
  const client = await bindForeign(t, address, credentials)
  const answer = await client.submit(DELIVERED, 'Bonjour #name#', NO_SENDER)
  assert.equal(answer.command_status, 0)
  const { body: message } = await account.expect(200).get(`/messages/${answer.message_id}`)
  assert.deepEqual([message.content, message.recipients_count], ['Bonjour #name#', 1])
  const [receipt] = await waitForReceipts(client, 1)
  assert.deepEqual(receipt, { id: String(answer.message_id), word: 'DELIVRD' })
  const [pdu] = client.delivered
  assert.deepEqual([pdu?.source_addr, pdu?.message_state], [DELIVERED, 2])
  const query = await client.ask('query_sm', { message_id: answer.message_id })
  assert.deepEqual([query.command_status, query.message_state], [0, 2])
  assert.equal(
    (await client.ask('cancel_sm', { message_id: answer.message_id })).command_status,
    ERRORS.ESME_RCANCELFAIL
  )
  assert.equal((await client.ask('cancel_sm', { message_id: '987654' })).command_status, ERRORS.ESME_RINVMSGID)
  assert.equal((await client.ask('replace_sm', { message_id: '1' })).command_status, ERRORS.ESME_RREPLACEFAIL)
  assert.equal((await client.ask('enquire_link')).command_status, 0)
  assert.equal((await client.ask('unbind')).command_status, 0)
  await client.closed
})

test('the parts of a long text become one message, and each part has its receipt', async (t) => {
  const { account, address, credentials } = await startCustomer(t)
  const client = await bindForeign(t, address, credentials)
  const part = (position: number, text: string) =>
    client.submit(DELIVERED, '', {
      ...NO_SENDER,
      esm_class: 0x40,
      short_message: Buffer.concat([Buffer.of(5, 0, 3, 77, 2, position), Buffer.from(text)])
    })
  const second = await part(2, 'world')
  assert.equal(second.command_status, 0)
  assert.deepEqual((await part(2, 'world')).message_id, second.message_id, 'a repeat is answered as the first time')
  const { message_id } = second
  assert.equal((await client.ask('query_sm', { message_id })).command_status, 0)
  assert.equal((await client.ask('cancel_sm', { message_id })).command_status, ERRORS.ESME_RCANCELFAIL)
  const first = await part(1, 'Hello ')
  const receipts = await waitForReceipts(client, 2)
  assert.deepEqual(
    receipts.map(({ id, word }) => `${id} ${word}`).sort(),
    [first, second].map(({ message_id }) => `${message_id} DELIVRD`).sort()
  )
  const { body } = await account.expect(200).get('/messages')
  assert.deepEqual(
    body.items.map(({ content }: { content: string }) => content),
    ['Hello world']
  )
})

test('parts of several codings become the text that each of them is; a validity that is over ends the message', async (t) => {
  const { service, account, address, credentials } = await startCustomer(t)
  const client = await bindForeign(t, address, credentials)
  const part = (position: number, reference: number, fields: Record<string, unknown>) =>
    client.submit(DELIVERED, '', {
      ...NO_SENDER,
      sar_msg_ref_num: reference,
      sar_total_segments: 3,
      sar_segment_seqnum: position,
      ...fields
    })
  const smile = Buffer.from('😀', 'utf16le').swap16()
  // The pair of surrogates is split between two parts.
  const parts = [
    { data_coding: 0, short_message: Buffer.from('Bonjour ') },
    { data_coding: 8, short_message: smile.subarray(0, 2) },
    { data_coding: 8, short_message: smile.subarray(2) }
  ]
  for (const [index, fields] of parts.entries()) {
    assert.equal((await part(index + 1, 1, fields)).command_status, 0)
  }
  const listContents = async () =>
    (await account.expect(200).get('/messages')).body.items.map(({ content }: { content: string }) => content)
  assert.deepEqual(await listContents(), ['Bonjour 😀'])

  for (const position of [1, 2]) {
    const fields = { short_message: 'late ', validity_period: '000000000100000R' }
    assert.equal((await part(position, 2, fields)).command_status, 0)
  }
  await service.pool`
    update smpp_parts
    set fields = fields || jsonb_build_object('validUntil', now() - interval '1 minute')
    where reference = 2
  `
  assert.equal((await part(3, 2, { short_message: 'late' })).command_status, ERRORS.ESME_RINVEXPIRY)
  assert.deepEqual(await listContents(), ['Bonjour 😀'])
})

test('messages that begin or end alike under one reference are all sent; one that is repeated whole is sent once', async (t) => {
  const { account, address, credentials } = await startCustomer(t)
  const client = await bindForeign(t, address, credentials)
  const part = async (position: number, text: string) => {
    const fields = { sar_msg_ref_num: 7, sar_total_segments: 3, sar_segment_seqnum: position }
    const { command_status, message_id } = await client.submit(DELIVERED, text, { ...NO_SENDER, ...fields })
    assert.equal(command_status, 0)
    return String(message_id)
  }
  const send = async (texts: string[]) => {
    const ids: string[] = []
    for (const [index, text] of texts.entries()) ids.push(await part(index + 1, text))
    return ids
  }
  const messages = [
    ['Hello, ', 'your code is ', '1'],
    ['Hello, ', 'your code is ', '2'],
    ['Hello, ', 'your word is ', '2'],
    ['Salut, ', 'your word is ', '2']
  ]
  const first = await send(messages[0] ?? [])
  assert.deepEqual(await send(messages[0] ?? []), first, 'a repeat is answered as the first time')
  for (const texts of messages.slice(1)) await send(texts)
  // The last part comes first.
  await part(3, '3')
  await part(1, 'Hello, ')
  await part(2, 'your code is ')
  // The answer to the last part was lost. It is no part of what follows.
  await part(3, '3')
  await send(['Hallo, ', 'your code is ', '4'])
  const { body } = await account.expect(200).get('/messages')
  assert.deepEqual(
    body.items.map(({ content }: { content: string }) => content).sort(),
    [...messages, ['Hello, ', 'your code is ', '3'], ['Hallo, ', 'your code is ', '4']]
      .map((texts) => texts.join(''))
      .sort()
  )
  // A part that came under the id of an earlier message has its receipts there.
  const receipts = await waitForReceipts(client, 3 + 1 + 2 + 3 + 3 + 3)
  assert.equal(new Set(receipts.map(({ id }) => id)).size, receipts.length)
  assert.ok(receipts.every(({ word }) => word === 'DELIVRD'))
})

test('a part whose message never becomes complete gets a receipt of failure', async (t) => {
  const timings = { partsWaitSeconds: 1, partsEveryMs: 100 }
  const { service, account, address, credentials } = await startCustomer(t, {}, { timings })
  const client = await bindForeign(t, address, credentials)
  const fields = { ...NO_SENDER, sar_msg_ref_num: 9, sar_total_segments: 2, sar_segment_seqnum: 1 }
  const answer = await client.submit(DELIVERED, 'half', fields)
  assert.deepEqual(await waitForReceipts(client, 1), [{ id: String(answer.message_id), word: 'EXPIRED' }])
  const listParts = () => service.pool`select from smpp_parts`
  await eventually(async () => assert.equal((await listParts()).length, 0, 'an answered part leaves nothing behind'))
  assert.equal((await client.submit(DELIVERED, 'unwanted', { ...fields, registered_delivery: 0 })).command_status, 0)
  await eventually(async () => assert.equal((await listParts()).length, 0, 'nor does one without a receipt'))

  await service.pool`
    insert into smpp_parts (account_id, smpp_id, credential_id, source, destination, reference, total, position, body, fields, created_at)
    select ${account.id}, 1000000 + number, 0, '', '+33600000000', number, 2, 1, '', '{"wants": 0}', now() + interval '1 hour'
    from generate_series(1, 5000) as number
  `
  assert.equal((await client.submit(DELIVERED, 'one too many', fields)).command_status, ERRORS.ESME_RMSGQFUL)
  assert.equal((await client.submit(DELIVERED, 'whole', NO_SENDER)).command_status, 0)
})

test('receipts wait for a bind, in another session, until they are answered', async (t) => {
  const { address, credentials } = await startCustomer(t)
  const sender = await bindForeign(t, address, { ...credentials, mode: 'transmitter' })
  const answer = await sender.submit(DELIVERED, 'one', NO_SENDER)
  const silent = await bindForeign(t, address, { ...credentials, mode: 'receiver', answerStatus: undefined })
  await eventually(() => assert.equal(silent.delivered.length, 1))
  silent.destroy()
  const receiver = await bindForeign(t, address, { ...credentials, mode: 'receiver' })
  assert.deepEqual(await waitForReceipts(receiver, 1), [{ id: String(answer.message_id), word: 'DELIVRD' }])
  assert.equal((await receiver.submit(DELIVERED, 'two')).command_status, ERRORS.ESME_RINVBNDSTS)
})

test('every wrong bind and submit has its status', async (t) => {
  const { account, address, credentials, credentialId } = await startCustomer(t, { binds: 1, throughput: 3 })
  assert.equal(
    (await tryBind(t, address, { ...credentials, password: 'wrong' })).answer.command_status,
    ERRORS.ESME_RINVPASWD
  )
  const client = await bindForeign(t, address, credentials)
  assert.equal((await tryBind(t, address, credentials)).answer.command_status, ERRORS.ESME_RALYBND)
  assert.equal((await client.ask('bind_receiver', {})).command_status, ERRORS.ESME_RALYBND)
  const status = async (fields: Record<string, unknown>) =>
    (await client.submit(DELIVERED, 'x', { ...NO_SENDER, ...fields })).command_status
  const { body } = await account.expect(200).put(`/smpp/credentials/${credentialId}`, { throughput: null })
  assert.deepEqual([body.throughput, body.bound], [null, 1])
  await eventually(async () => assert.equal(await status({ destination_addr: 'abc' }), ERRORS.ESME_RINVDSTADR))
  assert.equal(await status({ destination_addr: '12' }), ERRORS.ESME_RINVDSTADR)
  assert.equal(await status({ source_addr: '!' }), ERRORS.ESME_RINVSRCADR)
  assert.equal(await status({ schedule_delivery_time: 'soon' }), ERRORS.ESME_RINVSCHED)
  assert.equal(await status({ validity_period: '200101000000000+' }), ERRORS.ESME_RINVEXPIRY)
  assert.equal(await status({ esm_class: 0x04 }), ERRORS.ESME_RINVESMCLASS)
  assert.equal(await status({ data_coding: 0x77 }), 0x104)
  assert.equal(await status({ data_coding: 4, short_message: Buffer.from('x') }), ERRORS.ESME_RSUBMITFAIL)
  assert.equal(await status({ short_message: '' }), ERRORS.ESME_RINVMSGLEN)
  const sar = { sar_msg_ref_num: 1, sar_total_segments: 2, sar_segment_seqnum: 1 }
  const payload = { short_message: '', message_payload: 'x'.repeat(255) }
  assert.equal(await status({ ...sar, ...payload }), ERRORS.ESME_RINVMSGLEN, 'a part is short')
  const { credentials: elsewhere } = await newCredentials(account, { addresses: ['192.0.2.0/24'] })
  assert.equal((await tryBind(t, address, elsewhere)).answer.command_status, ERRORS.ESME_RBINDFAIL)
  await account.expect(200).put(`/smpp/credentials/${credentialId}`, { active: false })
  await client.closed
  assert.equal((await tryBind(t, address, credentials)).answer.command_status, ERRORS.ESME_RBINDFAIL)
  const strange = new ForeignClient(address, {})
  t.after(() => strange.destroy())
  assert.equal((await strange.submit(DELIVERED, 'x')).command_status, ERRORS.ESME_RINVBNDSTS)
  assert.equal(textOf((await strange.ask('enquire_link')) as never), '')
})

test('docs/smpp-server.md lists the status of every refusal', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/smpp-server.md'), 'utf8')
  for (const [name, status] of [...Object.entries(STATUSES_BY_FIELD), ...Object.entries(STATUSES_BY_CODE)]) {
    assert.ok(page.includes(`| \`${name}\` | ${status} |`), `${name} ${status}`)
  }
  const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
  const sources = await Promise.all(files.map((file) => readFile(join(import.meta.dirname, file), 'utf8')))
  const used = new Set(sources.flatMap((source) => source.match(/\bESME_R(?!OK)[A-Z]+/g) ?? []))
  assert.deepEqual(
    [...used].filter((status) => !page.includes(status)),
    []
  )
})
