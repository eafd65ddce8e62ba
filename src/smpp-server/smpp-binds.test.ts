import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import smpp from 'smpp'
import {
  bindForeign,
  ERRORS,
  type ForeignClient,
  textOf,
  tryBind,
  waitForReceipts,
  waitForReplies
} from '../../simulator/smpp/foreign-client.ts'
import { eventually } from '../../test/checks/eventually.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { addressOf, DELIVERED, NO_SENDER, newCredentials, startCustomer } from '../../test/service/smpp-customer.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../carriers/smpp/certificate.samples.ts'

/* Binds in company: several services, several credentials, other data of the account. */

/** Messages stay where they are. */
const WITHOUT_DELIVERY = { CHAPPE_ROLES: 'api,smpp' }

/** Submits one of two parts. */
function submitHalf(client: ForeignClient, position: number, fields: Record<string, unknown> = {}) {
  const sar = { sar_msg_ref_num: 700, sar_total_segments: 2, sar_segment_seqnum: position }
  return client.submit(DELIVERED, `half ${position}`, { ...NO_SENDER, ...sar, ...fields })
}

test('erasing a number removes the parts of long messages to it, however the number was written', async (t) => {
  const { service, account, address, credentials } = await startCustomer(t, {}, { settings: WITHOUT_DELIVERY })
  const client = await bindForeign(t, address, credentials)
  const accepted = [
    await submitHalf(client, 1, { dest_addr_ton: 2, destination_addr: '0639980013' }),
    await submitHalf(client, 1, { sar_msg_ref_num: 701 }),
    await submitHalf(client, 2, { sar_msg_ref_num: 701 }),
    await submitHalf(client, 1, { destination_addr: '33639980014' })
  ]
  assert.deepEqual(
    accepted.map(({ command_status }) => command_status),
    [0, 0, 0, 0]
  )
  assert.equal(
    (await submitHalf(client, 1, { destination_addr: '33999' })).command_status,
    ERRORS.ESME_RINVDSTADR,
    'a part to no phone number would never become a message'
  )
  const { body: held } = await account.expect(200).get(`/contacts/by-number/+${DELIVERED}`)
  assert.deepEqual(
    held.parts.map(({ message_id, content, part, parts }: Record<string, unknown>) => [
      message_id,
      content,
      part,
      parts
    ]),
    [[Number(accepted[0]?.message_id), 'half 1', 1, 2]],
    'a part that waits is held about the number; parts of a message are in the message'
  )
  const { body } = await account.expect(200).delete(`/contacts/by-number/+${DELIVERED}`)
  assert.deepEqual([body.messages, body.messages_under_way], [0, 1])
  const listNumbers = () => service.pool`select destination, fields -> 'to' as "to" from smpp_parts`
  assert.deepEqual([...(await listNumbers())], [{ destination: '+33639980014', to: ['+33639980014'] }])
  const other = await account.expect(200).delete('/contacts/by-number/+33639980014')
  assert.equal(other.body.message, 'The number was erased.')
  assert.equal((await submitHalf(client, 2)).command_status, 0)
  const { body: messages } = await account.expect(200).get('/messages')
  assert.deepEqual(
    messages.items.map(({ content }: { content: string }) => content),
    ['half 1half 2'],
    'the other half of an erased part makes no message'
  )
})

test('what a phone writes goes to a bind; multi, binary, flash and long texts become messages', async (t) => {
  const { account, address, credentials } = await startCustomer(t, { binary: true })
  const client = await bindForeign(t, address, credentials)
  const readMessage = async (id: unknown) => (await account.expect(200).get(`/messages/${id}`)).body

  const ids = { ...NO_SENDER, external_id: 'order-1' }
  const first = await client.submit(DELIVERED, 'Une fois', ids)
  assert.equal(first.command_status, 0)
  assert.deepEqual((await client.submit(DELIVERED, 'Une fois', ids)).message_id, first.message_id)
  assert.equal((await readMessage(first.message_id)).external_id, 'order-1')
  await waitForReceipts(client, 1)

  const long = 'volontiers '.repeat(30)
  for (const content of ['Oui €', 'Да', long]) {
    await account.expect(200).post(`/sandbox/phones/${DELIVERED}/replies`, { content })
  }
  const replies = await waitForReplies(client, 3)
  const texts = replies.map((pdu) => textOf(pdu) || (pdu.message_payload as { message: string }).message)
  assert.deepEqual(texts.sort(), ['Oui €', long, 'Да'].sort())
  assert.deepEqual(
    [...new Set(replies.map(({ source_addr, esm_class }) => `${source_addr} ${esm_class}`))],
    [`${DELIVERED} 0`]
  )

  const multi = await client.ask('submit_multi', {
    registered_delivery: 1,
    short_message: 'À tous',
    dest_address: [DELIVERED, '33639980014', '33999'].map((destination_addr) => ({
      dest_addr_ton: 1,
      destination_addr
    }))
  })
  assert.equal(multi.command_status, 0)
  assert.deepEqual(
    (multi.unsuccess_sme as Record<string, unknown>[]).map((one) => [one.destination_addr, one.error_status_code]),
    [['33999', ERRORS.ESME_RINVDSTADR]]
  )
  assert.equal((await readMessage(multi.message_id)).recipients_count, 2)

  const flash = await client.submit(DELIVERED, 'Vite', { ...NO_SENDER, data_coding: 0x10 })
  assert.equal((await readMessage(flash.message_id)).flash, true)
  const binary = await client.submit(DELIVERED, '', {
    ...NO_SENDER,
    data_coding: 4,
    esm_class: 0x40,
    short_message: Buffer.of(6, 5, 4, 0x0b, 0x84, 0x23, 0xf0, 0xca, 0xfe)
  })
  assert.deepEqual((await readMessage(binary.message_id)).binary, { data: 'cafe', udh: '0605040b8423f0' })
  const parts: unknown[] = []
  for (const [position, text] of [
    [1, 'seize '],
    [2, 'bits']
  ] as const) {
    const short_message = Buffer.concat([Buffer.of(6, 8, 4, 0x12, 0x34, 2, position), Buffer.from(text)])
    parts.push((await client.submit(DELIVERED, '', { ...NO_SENDER, esm_class: 0x40, short_message })).message_id)
  }
  // One for the first text, two for the numbers of submit_multi, one each for flash and binary, one for each part.
  const receipts = await waitForReceipts(client, 7)
  assert.deepEqual(new Set(receipts.map(({ word }) => word)), new Set(['DELIVRD']))
  const answered = [first, multi, multi, flash, binary].map(({ message_id }) => message_id)
  assert.deepEqual(receipts.map(({ id }) => id).sort(), [...answered, ...parts].map(String).sort())
  const { body } = await account.expect(200).get('/messages')
  assert.ok(body.items.some(({ content }: { content: string }) => content === 'seize bits'))
})

test('a bind that the database fails at is answered as an error of ours, and leaves no place taken', async (t) => {
  const { service, address, credentials } = await startCustomer(t, { binds: 1 }, { settings: WITHOUT_DELIVERY })
  const { pool, logLines } = service
  await pool`create function stumble() returns trigger language plpgsql as 'begin raise exception ''stumbled''; end'`
  await pool`create trigger stumble before insert on smpp_binds for each row execute function stumble()`
  for (let tries = 1; tries <= 3; tries++) {
    const { answer } = await tryBind(t, address, credentials)
    assert.equal(answer.command_status, ERRORS.ESME_RSYSERR, 'a wrong password would keep the client away')
  }
  assert.ok(logLines.some((line) => line.includes('bind of an SMPP client failed') && line.includes('stumbled')))
  await pool`drop trigger stumble on smpp_binds`
  assert.equal((await tryBind(t, address, credentials)).answer.command_status, 0)
})

test('a submit_multi that was stored is taken, also when the numbers that it leaves out can’t be read', async (t) => {
  const { service, account, address, credentials } = await startCustomer(t, {}, { settings: WITHOUT_DELIVERY })
  const { pool, logLines } = service
  const client = await bindForeign(t, address, credentials)
  // From the commit of the message on, its recipients can't be read.
  await pool`
    create function hide() returns trigger language plpgsql as
      'begin alter table recipients rename column phone to hidden; return null; end'
  `
  await pool`
    create constraint trigger hide after insert on messages deferrable initially deferred
    for each row execute function hide()
  `
  const multi = await client.ask('submit_multi', {
    registered_delivery: 1,
    short_message: 'À tous',
    dest_address: [DELIVERED, '33639980014', '33999'].map((destination_addr) => ({
      dest_addr_ton: 1,
      destination_addr
    }))
  })
  await pool`drop trigger hide on messages`
  await pool`alter table recipients rename column hidden to phone`
  assert.deepEqual([multi.command_status, multi.unsuccess_sme], [0, []])
  assert.ok(logLines.some((line) => line.includes('not told which numbers its message leaves out')))
  const { body } = await account.expect(200).get('/messages')
  assert.deepEqual(
    body.items.map(({ id, recipients_count }: Record<string, number>) => [String(id), recipients_count]),
    [[String(multi.message_id), 2]]
  )
})

test('two services share the binds of an account, and a suspension ends all of them', async (t) => {
  const { service, account, address, credentials } = await startCustomer(t, { binds: 2 })
  const peer = await service.startPeer(t, { settings: { CHAPPE_SMPP_PORT: '0', ...WITHOUT_DELIVERY } })
  const addresses = [address, addressOf(peer)]
  const clients = await Promise.all(addresses.map((each) => bindForeign(t, each, credentials)))
  for (const each of addresses) {
    assert.equal((await tryBind(t, each, credentials)).answer.command_status, ERRORS.ESME_RALYBND)
  }
  assert.equal((await account.expect(200).get('/smpp/binds')).body.length, 2)

  const submits = Array.from({ length: 10 }, (_, at) => clients[at % 2]?.submit(DELIVERED, `Text ${at}`, NO_SENDER))
  const ids = (await Promise.all(submits)).map((answer) => String(answer?.message_id))
  const came = () => clients.flatMap((client) => client.receipts().map(({ id }) => id))
  await eventually(async () => {
    assert.ok(came().length >= ids.length, `${came().length} receipts`)
    assert.deepEqual([...(await service.pool`select id from smpp_deliveries`)], [])
  })
  assert.deepEqual(came().sort(), ids.sort(), 'each receipt came once, to one of the two')

  const { credentials: slow } = await newCredentials(account, { throughput: 10, binds: 2 })
  const slowClients = await Promise.all(addresses.map((each) => bindForeign(t, each, slow)))
  const startedAtMs = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, at) => slowClients[at % 2]?.submit(DELIVERED, `Text ${at}`, NO_SENDER))
  )
  const allowed = 10 + ((performance.now() - startedAtMs) / 1_000) * 10
  const taken = answers.filter((answer) => answer?.command_status === 0).length
  assert.ok(taken >= 10 && taken <= allowed, `both services took ${taken}, and may take ${allowed} together`)

  const setStanding = (standing: string) =>
    service.operator.expect(200).put(`/accounts/${account.id}/standing`, { standing, reason: 'Unpaid.' })
  await setStanding('suspended')
  await eventually(() => assert.ok(clients.every(({ isClosed }) => isClosed)), { withinMs: 1_000 })
  for (const { received } of clients) assert.equal(received.at(-1)?.command, 'unbind')
  for (const each of addresses) {
    assert.equal((await tryBind(t, each, credentials)).answer.command_status, ERRORS.ESME_RBINDFAIL)
  }
  await setStanding('open')
  await eventually(async () => {
    for (const each of addresses) assert.equal((await tryBind(t, each, credentials)).answer.command_status, 0)
  })
})

async function writeCertificate(t: TestContext): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-smpp-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  await Promise.all([writeFile(key, TEST_KEY), writeFile(cert, TEST_CERTIFICATE)])
  return { CHAPPE_SMPP_TLS_PORT: '0', CHAPPE_SMPP_TLS_KEY: key, CHAPPE_SMPP_TLS_CERT: cert }
}

/** Writes bytes on a connection of their own, after a bind if there are credentials, and waits until it is closed. */
async function writeUntilClosed(
  t: TestContext,
  address: { host: string; port: number },
  bytes: Buffer,
  bind?: { systemId: string; password: string }
): Promise<void> {
  const socket = connect(address)
  atEnd(t, () => socket.destroy())
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  if (bind) {
    const { systemId: system_id, password } = bind
    socket.write(new smpp.PDU('bind_transceiver', { system_id, password, sequence_number: 1 }).toBuffer())
    const [answer] = await once(socket, 'data')
    assert.equal((answer as Buffer).readUInt32BE(8), 0)
  }
  socket.resume()
  socket.write(bytes)
  await closed
}

test('TLS, limits, bytes that are no SMPP, wrong passwords and strangers concern only the binds they are about', async (t) => {
  const settings = { ...WITHOUT_DELIVERY, ...(await writeCertificate(t)) }
  const { service, account, address, credentials } = await startCustomer(t, {}, { settings })
  const tlsAddress = { host: '127.0.0.1', port: service.smpp?.tlsPort ?? 0 }
  const trust = { tls: true, ca: TEST_CERTIFICATE, servername: 'smsc.test' }
  const client = await bindForeign(t, { ...tlsAddress, ...trust }, credentials)
  assert.equal((await client.submit(DELIVERED, 'Over TLS', NO_SENDER)).command_status, 0)
  const listBinds = async () => (await account.expect(200).get('/smpp/binds')).body
  assert.deepEqual(
    (await listBinds()).map(({ encrypted }: { encrypted: boolean }) => encrypted),
    [true]
  )
  const { body: server } = await account.expect(200).get('/smpp/server')
  assert.deepEqual([server.enabled, server.port, server.tls_port], [true, address.port, tlsAddress.port])

  for (const limits of [{ window: 1 }, { throughput: 1 }]) {
    const limited = await bindForeign(t, address, (await newCredentials(account, limits)).credentials)
    const answers = await Promise.all([1, 2, 3].map((at) => limited.submit(DELIVERED, `Text ${at}`, NO_SENDER)))
    const statuses = answers.map(({ command_status }) => command_status)
    for (const status of [0, ERRORS.ESME_RTHROTTLED]) {
      assert.ok(
        statuses.some((other) => other === status),
        `${JSON.stringify(limits)}: ${statuses}`
      )
    }
    assert.equal((await limited.ask('unbind')).command_status, 0)
  }

  const garbage = [Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.from('7fffffff000000040000000000000002', 'hex')]
  garbage.push(Buffer.alloc(16))
  for (const bytes of garbage) {
    await writeUntilClosed(t, address, bytes)
    await writeUntilClosed(t, address, bytes, credentials)
    await writeUntilClosed(t, tlsAddress, bytes)
  }
  await eventually(async () => assert.equal((await listBinds()).length, 1, 'closed binds are given back'))

  const { credentials: guessed } = await newCredentials(account)
  const guess = async (password: string) => (await tryBind(t, address, { ...guessed, password })).answer.command_status
  // At once: one after the other, they could take more than their minute on a busy machine.
  const guesses = await Promise.all(Array.from({ length: 10 }, (_, at) => guess(`wrong${at}`)))
  assert.deepEqual(new Set(guesses), new Set([ERRORS.ESME_RINVPASWD]))
  assert.equal(await guess(guessed.password), ERRORS.ESME_RBINDFAIL, 'the right password comes too late')

  const strangers = Array.from({ length: 110 }, () => connect(address))
  let goneCount = 0
  for (const stranger of strangers) {
    atEnd(t, () => stranger.destroy())
    stranger.on('error', () => undefined).on('close', () => goneCount++)
    stranger.resume()
  }
  await eventually(() => assert.ok(goneCount >= 10, `${goneCount} were closed`))
  assert.equal((await client.submit(DELIVERED, 'Still bound', NO_SENDER)).command_status, 0)
})

test('an account and its sub-accounts have only a share of the binds of a process', async (t) => {
  const { service, account, address, credentials } = await startCustomer(
    t,
    {},
    { settings: WITHOUT_DELIVERY, timings: { bindsOfOneMax: 2 } }
  )
  const child = await newCredentials(await account.newSubAccount())
  const stranger = await newCredentials(await service.newAccount())
  const first = await bindForeign(t, address, credentials)
  await bindForeign(t, address, child.credentials)
  const refused = await tryBind(t, address, credentials)
  assert.equal(refused.answer.command_status, ERRORS.ESME_RBINDFAIL)
  await bindForeign(t, address, stranger.credentials)
  assert.equal((await account.expect(200).get('/smpp/binds')).body.length, 1, 'the refused one is given back')
  assert.equal((await first.ask('unbind')).command_status, 0)
  await eventually(async () => {
    const { answer } = await tryBind(t, address, child.credentials)
    assert.equal(answer.command_status, 0, 'a place is free again')
  })
})
