import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { startRbm } from '../../test/peers/rbm.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { Caller, startAll } from '../rbm/rbm.samples.ts'
import { bindForeign, type ForeignClient, type ForeignPdu, waitForReplies } from '../smpp/foreign-client.ts'
import { type Smsc, startSmsc } from '../smpp/smsc.ts'
import { type InboxMessage, Phones } from './phones.ts'

const PHONE = '33612345678'
const LONG = 'Une très longue histoire [1] à 10 €. '.repeat(11).trim()
const EMOJI = 'Une très longue histoire 🚀🎉 à 10 €. '.repeat(6).trim()

async function start(t: TestContext): Promise<{ smsc: Smsc; phones: Phones; client: ForeignClient }> {
  const phones = new Phones()
  const smsc = await startSmsc({ phones })
  atEnd(t, () => smsc.stop())
  return { smsc, phones, client: await bindForeign(t, smsc) }
}

test('a phone shows what it received, newest first, however its number is written', async (t) => {
  const { phones, client } = await start(t)
  const before = Date.now()
  const first = await client.submit(PHONE, 'Bonjour')
  const second = await client.submit(`+${PHONE}`, 'Prêt à 10 € [ç]', { source_addr: 'CHAPPE', source_addr_ton: 5 })
  for (const number of [PHONE, `+${PHONE}`, `00${PHONE}`, '+33 6 12 34 56 78']) {
    assert.deepEqual(
      phones.inboxOf(number).map(({ receivedAt: _, ...shown }) => shown),
      [
        {
          channel: 'sms',
          from: 'CHAPPE',
          content: 'Prêt à 10 € [ç]',
          parts: 1,
          carrierMessageIds: [second.message_id]
        },
        { channel: 'sms', from: '36111', content: 'Bonjour', parts: 1, carrierMessageIds: [first.message_id] }
      ]
    )
  }
  const [newest] = phones.inboxOf(PHONE)
  assert.ok(newest && newest.receivedAt.getTime() >= before && newest.receivedAt.getTime() <= Date.now())
  assert.deepEqual(phones.inboxOf('33600000000'), [])
})

/** Each way to send a long message, by hand as the specification has it: the fields of its parts. */
const WAYS: Record<string, (parts: string[]) => Record<string, unknown>[]> = {
  'a header with an 8-bit reference': (parts) =>
    parts.map((message, index) => header([0x00, 3, 42, parts.length, index + 1], message)),
  'a header with a 16-bit reference': (parts) =>
    parts.map((message, index) => header([0x08, 4, 1, 42, parts.length, index + 1], message)),
  'a header behind another': (parts) =>
    parts.map((message, index) => header([0x05, 4, 0, 0, 0x23, 0xf4, 0x00, 3, 42, parts.length, index + 1], message)),
  'sar TLVs': (parts) =>
    parts.map((short_message, index) => ({
      short_message,
      sar_msg_ref_num: 300,
      sar_total_segments: parts.length,
      sar_segment_seqnum: index + 1
    })),
  message_payload: (parts) => [{ short_message: '', message_payload: parts.join('') }]
}

function header(elements: number[], message: string): Record<string, unknown> {
  return { esm_class: 0x40, short_message: { udh: Buffer.from([elements.length, ...elements]), message } }
}

for (const [way, fieldsOf] of Object.entries(WAYS)) {
  test(`a long message by ${way} is joined on the phone, whatever order its parts come in`, async (t) => {
    const { phones, client } = await start(t)
    for (const [text, partLength] of [
      [LONG, 120],
      [EMOJI, 60]
    ] as const) {
      const parts = cut(text, partLength)
      const fields = fieldsOf(parts)
      const ids: unknown[] = []
      for (const part of fields.toReversed()) {
        const data_coding = text === EMOJI ? 8 : 0
        ids.unshift((await client.submit(PHONE, '', { data_coding, ...part })).message_id)
      }
      const [message] = phones.inboxOf(PHONE)
      assert.equal(message?.content, text)
      assert.deepEqual([message.parts, message.carrierMessageIds], [fields.length, ids])
    }
    assert.equal(phones.inboxOf(PHONE).length, 2)
  })
}

function cut(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length)
  )
}

test('parts of messages that have the same reference but another sender are not mixed up', async (t) => {
  const { phones, client } = await start(t)
  const part = (message: string, position: number) => header([0x00, 3, 7, 2, position], message)
  await client.submit(PHONE, '', { source_addr: 'ONE', ...part('one, ', 1) })
  await client.submit(PHONE, '', { source_addr: 'TWO', ...part('two, ', 1) })
  assert.deepEqual(phones.inboxOf(PHONE), [])
  await client.submit(PHONE, '', { source_addr: 'TWO', ...part('done', 2) })
  assert.deepEqual(contents(phones), ['two, done'])
  await client.submit(PHONE, '', { source_addr: 'ONE', ...part('done', 2) })
  assert.deepEqual(contents(phones), ['one, done', 'two, done'])
})

function contents(phones: Phones): string[] {
  return phones.inboxOf(PHONE).map(({ content }) => content)
}

test('a phone keeps the last 100 messages, and the phones longest unused are forgotten', () => {
  const phones = new Phones()
  for (let index = 0; index < 150; index++) receive(phones, PHONE, `message ${index}`)
  assert.equal(phones.inboxOf(PHONE).length, 100)
  assert.deepEqual([contents(phones)[0], contents(phones)[99]], ['message 149', 'message 50'])
  for (let index = 0; index < 1_999; index++) receive(phones, `336${20_000_000 + index}`, 'Bonjour')
  receive(phones, PHONE, 'still here')
  receive(phones, '33630000000', 'one phone more')
  assert.equal(contents(phones)[0], 'still here')
  assert.equal(phones.inboxOf('33620000000').length, 0)
  assert.equal(phones.inboxOf('33620000001').length, 1)
})

function receive(phones: Phones, to: string, text: string): void {
  const bytes = Buffer.from(text)
  const answer = () => false
  phones.receive({
    from: '36111',
    to,
    bytes,
    dataCoding: 0,
    defaultEncoding: 'gsm',
    segment: undefined,
    carrierMessageId: '1',
    answer
  })
  bytes.fill(0) // It was a view of what the socket read.
}

test('whoever listens hears of each message once it is whole', async (t) => {
  const { phones, client } = await start(t)
  const heard: [string, InboxMessage][] = []
  const end = phones.onMessage((number, message) => heard.push([number, message]))
  await client.submit(`+${PHONE}`, '', header([0x00, 3, 1, 2, 1], 'Bon'))
  assert.equal(heard.length, 0)
  await client.submit(`+${PHONE}`, '', header([0x00, 3, 1, 2, 2], 'jour'))
  assert.deepEqual(heard, [[PHONE, phones.inboxOf(PHONE)[0]]])
  end()
  await client.submit(PHONE, 'unheard')
  assert.equal(heard.length, 1)
})

test('a reply arrives as a message from the phone', async (t) => {
  const { phones, client } = await start(t)
  phones.reply({ from: '+33 6 12 34 56 78', to: '36111', content: 'Très bien, 10 € [ça]' })
  phones.reply({ from: PHONE, to: 'CHAPPE', content: 'OK' })
  phones.reply({ from: PHONE, to: '+33700000001', content: 'OK' })
  const replies = await waitForReplies(client, 3)
  assert.deepEqual(replies.map(addresses), [
    [PHONE, 1, 1, '36111', 3, 0],
    [PHONE, 1, 1, 'CHAPPE', 5, 0],
    [PHONE, 1, 1, '33700000001', 1, 1]
  ])
  assert.deepEqual(replies.map(foreignText), ['Très bien, 10 € [ça]', 'OK', 'OK'])
})

function addresses(pdu: ForeignPdu): unknown[] {
  const { source_addr, source_addr_ton, source_addr_npi, destination_addr, dest_addr_ton, dest_addr_npi } = pdu
  return [source_addr, source_addr_ton, source_addr_npi, destination_addr, dest_addr_ton, dest_addr_npi]
}

function foreignText(pdu: ForeignPdu): string {
  const field = (pdu.message_payload ?? pdu.short_message) as { message: string } | string
  return typeof field === 'string' ? field : field.message
}

for (const split of ['udh', 'udh16', 'sar', 'payload']) {
  test(`a long reply by ${split} arrives in parts that make it up`, async (t) => {
    const { smsc, phones, client } = await start(t)
    smsc.apply(`split replies ${split}`)
    for (const [text, count] of [
      [LONG, 3],
      [EMOJI, 4]
    ] as const) {
      client.delivered.length = 0
      phones.reply({ from: PHONE, to: '36111', content: text })
      const replies = await waitForReplies(client, split === 'payload' ? 1 : count)
      assert.equal(replies.map(foreignText).join(''), text)
      if (split === 'payload') continue
      assert.deepEqual(
        replies.map(positionOf),
        Array.from({ length: count }, (_, index) => [count, index + 1])
      )
    }
  })
}

function positionOf(pdu: ForeignPdu): unknown[] {
  if (pdu.sar_total_segments !== undefined) return [pdu.sar_total_segments, pdu.sar_segment_seqnum]
  const { udh } = pdu.short_message as { udh: Buffer[] }
  return [...(udh[0]?.subarray(-2) ?? [])]
}

test('a reply goes to the client whose message it answers', async (t) => {
  const { smsc, phones, client } = await start(t)
  const other = await bindForeign(t, smsc, { systemId: 'other' })
  await other.submit(PHONE, 'Bonjour', { source_addr: 'OTHER' })
  await client.submit(PHONE, 'Bonjour')
  phones.reply({ from: PHONE, to: 'OTHER', content: 'for the other' })
  phones.reply({ from: PHONE, to: '36111', content: 'for you' })
  assert.deepEqual((await waitForReplies(other, 1)).map(foreignText), ['for the other'])
  assert.deepEqual((await waitForReplies(client, 1)).map(foreignText), ['for you'])
  await eventually(() => assert.equal(smsc.stats.repliesAcknowledged, 2))
})

test('a reply waits for a client that is gone, and is refused when there never was one', async (t) => {
  const phones = new Phones()
  assert.throws(() => phones.reply({ from: PHONE, to: '36111', content: 'OK' }), /No client is bound/)
  const smsc = await startSmsc({ phones })
  atEnd(t, () => smsc.stop())
  assert.throws(() => phones.reply({ from: PHONE, to: '36111', content: 'OK' }), /No client is bound/)
  const client = await bindForeign(t, smsc)
  client.destroy()
  await eventually(() => assert.equal(smsc.sessionCount, 0))
  phones.reply({ from: PHONE, to: '36111', content: 'OK' })
  assert.deepEqual((await waitForReplies(await bindForeign(t, smsc), 1)).map(foreignText), ['OK'])
})

const CARD = {
  title: 'Soldes',
  description: 'Jusqu’à samedi',
  media: { height: 'MEDIUM', contentInfo: { fileUrl: 'https://example.fr/a.png' } },
  suggestions: [
    { reply: { text: 'Oui', postbackData: 'yes' } },
    { action: { text: 'Voir', openUrlAction: { url: 'https://example.fr' } } },
    { action: { text: 'Appeler', dialAction: { phoneNumber: '+33123456789' } } },
    {
      action: { text: 'Venir', viewLocationAction: { latLong: { latitude: 48.85, longitude: 2.35 }, label: 'Paris' } }
    }
  ]
}
const SHOWN_CARD = {
  title: 'Soldes',
  description: 'Jusqu’à samedi',
  media_message_url: 'https://example.fr/a.png',
  choices: [
    { type: 'text', text: 'Oui' },
    { type: 'url', title: 'Voir', url: 'https://example.fr' },
    { type: 'call', title: 'Appeler', phoneNumber: '+33123456789' },
    { type: 'location', title: 'Venir', label: 'Paris', latitude: 48.85, longitude: 2.35 }
  ]
}

for (const [what, contentMessage, shown] of [
  ['text', { text: 'Bonjour' }, { content: 'Bonjour' }],
  [
    'text with choices',
    { text: 'Bonjour', suggestions: CARD.suggestions.slice(0, 2) },
    { content: 'Bonjour', choices: SHOWN_CARD.choices.slice(0, 2) }
  ],
  [
    'card',
    { richCard: { standaloneCard: { cardOrientation: 'VERTICAL', cardContent: CARD } } },
    { content: 'Soldes\nJusqu’à samedi', card: SHOWN_CARD }
  ],
  [
    'carousel',
    { richCard: { carouselCard: { cardWidth: 'MEDIUM', cardContents: [CARD, { title: 'Demain' }] } } },
    { content: 'Soldes\nJusqu’à samedi\n\nDemain', carousel: { cards: [SHOWN_CARD, { title: 'Demain' }] } }
  ]
] as const) {
  test(`a phone shows an RCS ${what} in our own words, beside what came by SMS`, async (t) => {
    const { smsc, phones, client } = await start(t)
    const { rbm, caller } = await startAll(t, '', { phones })
    assert.equal(smsc.phones, rbm.phones)
    await client.submit(PHONE, 'Bonjour')
    const id = randomUUID()
    assert.equal((await caller.send(`+${PHONE}`, { contentMessage }, id)).status, 200)
    const [rcs, sms] = phones.inboxOf(PHONE).map(({ receivedAt: _, ...message }) => message)
    assert.deepEqual(rcs, { channel: 'rcs', from: rbm.agentId, ...shown, parts: 1, carrierMessageIds: [id] })
    assert.equal(sms?.channel, 'sms')
  })
}

test('an answer goes back the way its message came: what a choice says is a tap on it', async (t) => {
  const { phones, client } = await start(t)
  const { rbm, caller, hook } = await startAll(t, '', { phones })
  await client.submit(PHONE, 'Bonjour')
  const richCard = { standaloneCard: { cardOrientation: 'VERTICAL', cardContent: CARD } }
  await caller.send(`+${PHONE}`, { contentMessage: { richCard } })
  await hook.waitFor(1)
  for (const content of ['Oui', 'oui', 'Voir']) {
    phones.reply({ from: PHONE, to: rbm.agentId, content })
  }
  phones.reply({ from: PHONE, to: '36111', content: 'by SMS' })
  const events = await hook.waitFor(4)
  const shown = events.slice(1).map(({ text, suggestionResponse }) => text ?? suggestionResponse)
  // Posted at once, so in no order.
  assert.ok(
    shown.some((content) => content.text === 'Oui' && content.postbackData === 'yes' && content.type === 'REPLY')
  )
  assert.deepEqual(shown.filter((content) => typeof content === 'string').sort(), ['Voir', 'oui'])
  assert.deepEqual(
    events.slice(1).map(({ senderPhoneNumber }) => senderPhoneNumber),
    [`+${PHONE}`, `+${PHONE}`, `+${PHONE}`]
  )
  assert.deepEqual((await waitForReplies(client, 1)).map(foreignText), ['by SMS'])
})

test('an answer to an RCS is refused while nobody is told of it, though an SMS could go', async (t) => {
  const { phones } = await start(t)
  const rbm = await startRbm(t, { phones })
  const caller = new Caller(rbm)
  await caller.renew()
  await caller.send(`+${PHONE}`)
  assert.throws(() => phones.reply({ from: PHONE, to: rbm.agentId, content: 'Oui' }), /No client is bound/)
})
