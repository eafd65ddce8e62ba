import { strict as assert } from 'node:assert'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { Phones } from '../phones/phones.ts'
import { parseFaults } from './faults.ts'
import {
  bindForeign,
  ERRORS,
  type ForeignClient,
  textOf,
  tryBind,
  waitForReceipts,
  waitForReplies
} from './foreign-client.ts'
import { type Smsc, startSmsc } from './smsc.ts'

const PHONE = '33612345678'

async function start(t: TestContext, faults: string): Promise<Smsc> {
  const smsc = await startSmsc({ phones: new Phones(), faults, record: true, firstId: 1 })
  atEnd(t, () => smsc.stop())
  return smsc
}

async function startBound(t: TestContext, faults: string): Promise<{ smsc: Smsc; client: ForeignClient }> {
  const smsc = await start(t, faults)
  return { smsc, client: await bindForeign(t, smsc) }
}

/** Submits one after the other without waiting, and says how each ended: its status, or `lost` with the link. */
function submitMany(client: ForeignClient, count: number): Promise<unknown[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      client.submit(PHONE, `message ${index + 1}`).then(
        ({ command_status }) => command_status,
        () => 'lost'
      )
    )
  )
}

/** Whether the promise is still pending after the carrier has answered something else since. */
async function isPending(client: ForeignClient, promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false
  promise.finally(() => (isSettled = true)).catch(() => undefined)
  await client.ask('enquire_link')
  await client.ask('enquire_link')
  return !isSettled
}

test('after 3 submits reset: the third is taken, its answer is lost with the link, and no more are read', async (t) => {
  const { smsc, client } = await startBound(t, 'after 3 submits reset')
  const outcomes = await submitMany(client, 5)
  assert.deepEqual(outcomes.slice(2), ['lost', 'lost', 'lost'])
  assert.equal(smsc.stats.accepted, 3)
  const again = await bindForeign(t, smsc)
  assert.equal((await waitForReceipts(again, 3)).length, 3)
  assert.deepEqual(await submitMany(again, 5), [0, 0, 0, 0, 0])
})

test('every 2 submits reset: again and again', async (t) => {
  const smsc = await start(t, 'every 2 submits reset')
  for (let round = 1; round <= 3; round++) {
    const client = await bindForeign(t, smsc)
    assert.equal((await submitMany(client, 2))[1], 'lost')
    assert.equal(smsc.stats.accepted, 2 * round)
  }
})

test('after 2 submits close: both are answered, then the link ends', async (t) => {
  const { smsc, client } = await startBound(t, 'after 2 submits close')
  assert.deepEqual(await submitMany(client, 3), [0, 0, 'lost'])
  assert.equal(smsc.stats.accepted, 2)
})

test('after 2 submits unbind: the client is asked to go', async (t) => {
  const { smsc, client } = await startBound(t, 'after 2 submits unbind')
  assert.deepEqual(await submitMany(client, 2), [0, 0])
  await client.closed
  assert.ok(client.received.some(({ command }) => command === 'unbind'))
  assert.equal(smsc.sessionCount, 0)
})

test('only the link that brought the submit is reset; without one, all are', async (t) => {
  const smsc = await start(t, 'after 1 submits reset')
  const other = await bindForeign(t, smsc)
  assert.deepEqual(await submitMany(await bindForeign(t, smsc), 1), ['lost'])
  assert.deepEqual(await submitMany(other, 1), [0])
  const third = await bindForeign(t, smsc)
  smsc.apply('reset')
  await Promise.all([other.closed, third.closed])
})

test('after 50ms reset: without any submit', async (t) => {
  const { smsc, client } = await startBound(t, '')
  smsc.apply('after 50ms reset')
  await client.closed
})

test('go silent: nothing is read and nothing answered though the link is up, until it speaks again', async (t) => {
  const { smsc, client } = await startBound(t, 'after 2 submits go silent')
  const outcomes = submitMany(client, 2)
  await eventually(() => assert.equal(smsc.stats.submits, 2))
  const asked = client.ask('enquire_link')
  const silentBind = tryBind(t, smsc)
  const quiet = new Promise((resolve) => setTimeout(resolve, 100, 'quiet'))
  assert.equal(await Promise.race([outcomes, asked, silentBind, client.closed, quiet]), 'quiet')
  smsc.apply('speak again')
  assert.deepEqual(await outcomes, [0, 0])
  assert.equal((await asked).command_status, 0)
  assert.equal((await silentBind).answer.command_status, 0)
})

test('refuse binds 2 times: then they are taken', async (t) => {
  const smsc = await start(t, 'refuse binds 2 times')
  const statuses: unknown[] = []
  for (let attempt = 0; attempt < 3; attempt++) statuses.push((await tryBind(t, smsc)).answer.command_status)
  assert.deepEqual(statuses, [ERRORS.ESME_RBINDFAIL, ERRORS.ESME_RBINDFAIL, 0])
})

test('refuse binds with a status: until they are accepted', async (t) => {
  const smsc = await start(t, 'refuse binds with ESME_RINVPASWD')
  assert.equal((await tryBind(t, smsc)).answer.command_status, ERRORS.ESME_RINVPASWD)
  smsc.apply('refuse binds 1 times with 0x400')
  assert.equal((await tryBind(t, smsc)).answer.command_status, 0x400)
  smsc.apply('refuse binds')
  assert.equal((await tryBind(t, smsc)).answer.command_status, ERRORS.ESME_RBINDFAIL)
  smsc.apply('accept binds')
  assert.equal((await tryBind(t, smsc)).answer.command_status, 0)
})

test('enquire: the client is asked whether it is there', async (t) => {
  const { smsc, client } = await startBound(t, '')
  smsc.apply('enquire')
  await eventually(() => assert.equal(client.received.at(-1)?.command, 'enquire_link'))
  client.answer('enquire_link_resp')
  await eventually(() => assert.equal(smsc.stats.linkAnswers, 1))
})

test('garble: the client gets what is no PDU', async (t) => {
  const { smsc, client } = await startBound(t, 'after 1 submits garble')
  await client.submit(PHONE, 'Bonjour')
  await eventually(() => assert.match(client.lastError, /PDU length was too large/))
  assert.equal(smsc.stats.accepted, 1)
})

test('one session: a second bind of the same client is refused, until the first is gone', async (t) => {
  const { smsc, client } = await startBound(t, 'one session')
  assert.equal((await tryBind(t, smsc)).answer.command_status, ERRORS.ESME_RALYBND)
  await bindForeign(t, smsc, { systemId: 'other', mode: 'transmitter' })
  await bindForeign(t, smsc, { systemId: 'other', mode: 'receiver' })
  assert.equal((await tryBind(t, smsc, { systemId: 'other' })).answer.command_status, ERRORS.ESME_RALYBND)
  client.destroy()
  await eventually(() => assert.equal(smsc.sessionCount, 2))
  await bindForeign(t, smsc)
  smsc.apply('many sessions')
  await bindForeign(t, smsc)
})

test('ghost session 1s: a link that was cut still counts as bound for that long, one that unbound does not', async (t) => {
  const { smsc, client } = await startBound(t, 'ghost session 1s')
  await client.ask('unbind')
  const second = await bindForeign(t, smsc)
  second.destroy()
  await eventually(() => assert.equal(smsc.sessionCount, 0))
  assert.equal((await tryBind(t, smsc)).answer.command_status, ERRORS.ESME_RALYBND)
  await eventually(() => bindForeign(t, smsc))
})

test('throttle 5/s: what exceeds it is told so, and a second later as much is free again', async (t) => {
  const { smsc, client } = await startBound(t, 'throttle 5/s')
  const statuses = await submitMany(client, 10)
  assert.deepEqual(statuses.slice(0, 5), Array(5).fill(0))
  assert.equal(statuses.at(-1), ERRORS.ESME_RTHROTTLED)
  await eventually(async () => assert.equal((await client.submit(PHONE, 'again')).command_status, 0))
  smsc.apply('throttle never')
  assert.deepEqual(await submitMany(client, 30), Array(30).fill(0))
  assert.equal(smsc.stats.accepted + smsc.stats.throttled, smsc.stats.submits)
})

test('throttle 5/s by the second: each second of the clock begins anew; at random: whatever the rate', async (t) => {
  const { smsc, client } = await startBound(t, 'throttle 5/s by the second')
  const statuses = await submitMany(client, 20)
  // A second may begin in between.
  const taken = statuses.filter((status) => status === 0).length
  assert.ok(taken === 5 || taken === 10, `${taken} taken`)
  await eventually(async () => assert.equal((await client.submit(PHONE, 'again')).command_status, 0))
  smsc.apply('throttle never\nthrottle 100% at random')
  assert.deepEqual(await submitMany(client, 5), Array(5).fill(ERRORS.ESME_RTHROTTLED))
  smsc.apply('throttle never')
  assert.deepEqual(await submitMany(client, 5), Array(5).fill(0))
  assert.throws(() => smsc.apply('throttle 101% at random'), /a share, such as 2%/)
})

test('refuse part 2: the others are taken', async (t) => {
  const { smsc, client } = await startBound(t, 'refuse part 2')
  const part = (position: number) =>
    client.submit(PHONE, '', {
      esm_class: 0x40,
      short_message: { udh: Buffer.from([5, 0, 3, 1, 3, position]), message: `part ${position}` }
    })
  const statuses: unknown[] = []
  for (const position of [1, 2, 3]) statuses.push((await part(position)).command_status)
  assert.deepEqual(statuses, [0, ERRORS.ESME_RINVDSTADR, 0])
  const { segments } = smsc.accepted.get(PHONE) ?? {}
  assert.deepEqual(
    segments,
    new Map([
      ['1/3 part 1', 1],
      ['3/3 part 3', 1]
    ])
  )
  smsc.apply('refuse part 3 with ESME_RSUBMITFAIL')
  assert.equal((await part(3)).command_status, ERRORS.ESME_RSUBMITFAIL)
  smsc.apply('accept submits')
  assert.equal((await part(3)).command_status, 0)
})

test('refuse submits: each, every nth or the next few', async (t) => {
  const { smsc, client } = await startBound(t, 'refuse every 3rd submit with ESME_RMSGQFUL')
  const full = ERRORS.ESME_RMSGQFUL
  assert.deepEqual(await submitMany(client, 6), [0, 0, full, 0, 0, full])
  smsc.apply('refuse next 2 submits with ESME_RSYSERR')
  const wrong = ERRORS.ESME_RSYSERR
  assert.deepEqual(await submitMany(client, 4), [wrong, wrong, 0, 0])
  smsc.apply('refuse submits with 0x58')
  assert.deepEqual(await submitMany(client, 2), [ERRORS.ESME_RTHROTTLED, ERRORS.ESME_RTHROTTLED])
  smsc.apply('accept submits')
  assert.deepEqual(await submitMany(client, 2), [0, 0])
})

test('delay answers 80ms: each comes that much later, and its receipt after it', async (t) => {
  const { client } = await startBound(t, 'delay answers 80ms')
  const before = performance.now()
  assert.deepEqual(await submitMany(client, 50), Array(50).fill(0))
  assert.ok(performance.now() - before >= 79)
  assert.equal((await waitForReceipts(client, 50)).length, 50)
  const commands = client.received.map(({ command }) => command)
  assert.ok(commands.indexOf('submit_sm_resp') < commands.indexOf('deliver_sm'))
})

test('hold answers: messages are taken and answered when the answers are released', async (t) => {
  const { smsc, client } = await startBound(t, 'hold answers')
  const outcomes = submitMany(client, 3)
  assert.ok(await isPending(client, outcomes))
  assert.deepEqual([smsc.stats.accepted, smsc.stats.answered, client.delivered.length], [3, 0, 0])
  smsc.apply('release answers')
  assert.deepEqual(await outcomes, [0, 0, 0])
  await waitForReceipts(client, 3)
})

test('reorder answers 3: they come in groups, the last first, and none stays behind', async (t) => {
  const { client } = await startBound(t, 'reorder answers 3')
  assert.deepEqual(await submitMany(client, 5), [0, 0, 0, 0, 0])
  const answers = client.received.filter(({ command }) => command === 'submit_sm_resp')
  assert.deepEqual(
    answers.map(({ message_id }) => message_id),
    ['3', '2', '1', '5', '4']
  )
})

test('drop every 3rd answer: the message is taken, and its receipt comes', async (t) => {
  const { smsc, client } = await startBound(t, 'drop every 3rd answer')
  const outcomes = submitMany(client, 7)
  await waitForReceipts(client, 7)
  assert.deepEqual([smsc.stats.accepted, smsc.stats.answered, smsc.stats.answersDropped], [7, 5, 2])
  assert.ok(await isPending(client, outcomes))
  smsc.apply('keep answers')
  assert.deepEqual(await submitMany(client, 3), [0, 0, 0])
  smsc.apply('drop next 1 answers')
  assert.ok(await isPending(client, submitMany(client, 2)))
  assert.equal(smsc.stats.answersDropped, 3)
  smsc.apply('drop answers')
  assert.ok(await isPending(client, submitMany(client, 2)))
  assert.equal(smsc.stats.answersDropped, 5)
})

test('answers twice: the second has the number of a submit that is no longer open', async (t) => {
  const { smsc, client } = await startBound(t, 'answers twice')
  assert.deepEqual(await submitMany(client, 2), [0, 0])
  smsc.apply('answers once')
  assert.deepEqual(await submitMany(client, 1), [0])
  const answers = client.received.filter(({ command }) => command === 'submit_sm_resp')
  assert.deepEqual(
    answers.map(({ sequence_number }) => sequence_number),
    [2, 2, 3, 3, 4]
  )
})

test('ids and receipt ids: each form, and receipts in another than the answers', async (t) => {
  const smsc = await start(t, 'ids from 2748')
  const client = await bindForeign(t, smsc)
  const forms = {
    dec: '2748',
    hex: 'abc',
    'upper-hex': 'ABC',
    'padded-dec': '00000000000000002748',
    'padded-hex': '0000000000000abc',
    uuid: '5a4db0c5-0000-8000-8000-000000000abc'
  }
  for (const [form, written] of Object.entries(forms)) {
    smsc.apply(`ids from 2748\nids ${form}\nreceipt ids same`)
    assert.equal((await client.submit(PHONE, 'Bonjour')).message_id, written)
    await eventually(() => assert.equal(client.receipts().at(-1)?.id, written))
    smsc.apply(`ids from 2748\nids dec\nreceipt ids ${form}`)
    assert.equal((await client.submit(PHONE, 'Bonjour')).message_id, '2748')
    await eventually(() => assert.equal(client.receipts().at(-1)?.id, written))
    assert.equal(client.delivered.at(-1)?.receipted_message_id, written)
  }
})

test('receipts before answers: as long before as answers are held', async (t) => {
  const { smsc, client } = await startBound(t, 'receipts before answers\nhold answers')
  const outcome = client.submit(PHONE, 'Bonjour')
  assert.deepEqual(await waitForReceipts(client, 1), [{ id: '1', word: 'DELIVRD' }])
  assert.ok(await isPending(client, outcome))
  smsc.apply('release answers')
  assert.equal((await outcome).message_id, '1')
})

test('receipts can be delayed, held, dropped or doubled', async (t) => {
  const { smsc, client } = await startBound(t, 'delay receipts 80ms')
  const before = performance.now()
  await client.submit(PHONE, 'Bonjour')
  await waitForReceipts(client, 1)
  assert.ok(performance.now() - before >= 79)
  smsc.apply('delay receipts 0ms\nhold receipts')
  await submitMany(client, 2)
  await client.ask('enquire_link')
  assert.equal(client.delivered.length, 1)
  smsc.apply('release receipts')
  await waitForReceipts(client, 3)
  smsc.apply('drop every 2nd receipt')
  await submitMany(client, 4)
  await waitForReceipts(client, 5)
  assert.equal(smsc.stats.receiptsDropped, 2)
  smsc.apply('drop receipts')
  await submitMany(client, 2)
  smsc.apply('drop next 1 receipts')
  await submitMany(client, 1)
  assert.equal(smsc.stats.receiptsDropped, 5)
  smsc.apply('keep receipts\nreceipts twice')
  const { message_id: id } = await client.submit(PHONE, 'Bonjour')
  assert.deepEqual((await waitForReceipts(client, 7)).slice(5), Array(2).fill({ id, word: 'DELIVRD' }))
  smsc.apply('receipts once')
  await client.submit(PHONE, 'Bonjour')
  assert.equal((await waitForReceipts(client, 8)).length, 8)
})

test('receipts on another bind: never on the one that submitted', async (t) => {
  const { smsc, client } = await startBound(t, 'receipts on another bind')
  await submitMany(client, 5)
  await client.ask('enquire_link')
  assert.deepEqual([client.delivered.length, smsc.waitingCount], [0, 5])
  const other = await bindForeign(t, smsc)
  assert.equal((await waitForReceipts(other, 5)).length, 5)
  smsc.apply('receipts on any bind')
  await submitMany(client, 4)
  await eventually(() => assert.deepEqual([client.delivered.length, other.delivered.length], [2, 7]))
})

test('receipts as text, as tlvs or as both', async (t) => {
  const smsc = await start(t, '')
  const client = await bindForeign(t, smsc)
  const seen: unknown[] = []
  for (const form of ['text', 'tlvs', 'both']) {
    smsc.apply(`receipts as ${form}`)
    const { message_id: id } = await client.submit(PHONE, 'Bonjour')
    await eventually(() => assert.equal(client.delivered.length, seen.length + 1))
    const receipt = client.delivered.at(-1)
    assert.ok(receipt)
    seen.push([textOf(receipt).startsWith(`id:${id} `), receipt.receipted_message_id === id, receipt.message_state])
  }
  assert.deepEqual(seen, [
    [true, false, undefined],
    [false, true, 2],
    [true, true, 2]
  ])
})

test('receipts say ENROUTE DELIVRD FOO: one after the other, for whatever number, also words that nobody knows', async (t) => {
  const { smsc, client } = await startBound(t, 'receipts say enroute DELIVRD foo')
  await client.submit('33639980001', 'Bonjour')
  assert.deepEqual(
    (await waitForReceipts(client, 3)).map(({ word }) => word),
    ['ENROUTE', 'DELIVRD', 'FOO']
  )
  assert.deepEqual(
    client.delivered.map(({ message_state }) => message_state),
    [1, 2, undefined]
  )
  smsc.apply('receipts tell the truth')
  await client.submit('33639980001', 'Bonjour')
  assert.equal((await waitForReceipts(client, 4)).at(-1)?.word, 'UNDELIV')
})

test('alphabet latin1: data_coding 0 is Latin-1 in both directions', async (t) => {
  const { smsc, client } = await startBound(t, 'alphabet latin1')
  await client.submit(PHONE, '', { data_coding: 0, short_message: Buffer.from('ça @ été', 'latin1') })
  assert.equal(smsc.phones.inboxOf(PHONE)[0]?.content, 'ça @ été')
  smsc.phones.reply({ from: PHONE, to: '36111', content: 'à @ é' })
  const [reply] = await waitForReplies(client, 1)
  assert.equal(reply?.data_coding, 0)
  // The foreign client takes 0 for GSM, where these are other characters.
  assert.deepEqual([...textOf(reply)].length, 5)
  assert.notEqual(textOf(reply), 'à @ é')
})

test('reply parts come backwards, twice or with one missing', async (t) => {
  const { smsc, client } = await startBound(t, 'reply parts backwards')
  const content = 'a'.repeat(153) + 'b'.repeat(153) + 'c'.repeat(3)
  const parts = async (count: number) => {
    client.delivered.length = 0
    smsc.phones.reply({ from: PHONE, to: '36111', content })
    return (await waitForReplies(client, count)).map((pdu) => textOf(pdu)[0])
  }
  assert.deepEqual(await parts(3), ['c', 'b', 'a'])
  smsc.apply('reply parts whole\nreply parts twice')
  assert.deepEqual(await parts(6), ['a', 'a', 'b', 'b', 'c', 'c'])
  smsc.apply('reply parts whole\ndrop reply part 2')
  assert.deepEqual(await parts(2), ['a', 'c'])
  smsc.apply('reply parts whole')
  assert.deepEqual(await parts(3), ['a', 'b', 'c'])
})

test('behave: all rules end, also those that wait for their moment, and what was held goes out', async (t) => {
  const { smsc, client } = await startBound(t, 'ids hex\nhold answers\nrefuse part 2\nafter 4 submits reset')
  smsc.apply('after 1s reset')
  const held = submitMany(client, 3)
  await eventually(() => assert.equal(smsc.stats.accepted, 3))
  smsc.apply('behave')
  assert.deepEqual(await held, [0, 0, 0])
  smsc.apply('ids from 10')
  assert.equal((await client.submit(PHONE, 'Bonjour')).message_id, '10')
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  assert.ok(!client.isClosed)
})

test('a rule may wait for another to apply: answers are held from the third submit on, for 100 ms', async (t) => {
  const { smsc, client } = await startBound(
    t,
    'after 2 submits hold answers\nafter 2 submits after 100ms release answers'
  )
  const before = performance.now()
  assert.deepEqual(await submitMany(client, 4), [0, 0, 0, 0])
  assert.ok(performance.now() - before >= 99)
  assert.equal(smsc.stats.accepted, 4)
})

test('a script is read in any case, with comments and empty lines', () => {
  const script = '# a bad day\n\n  Delay  ANSWERS 50ms # slow\r\nafter 100 submits reset\n'
  assert.deepEqual(parseFaults(script), [
    { kind: 'set', change: { answerDelayMs: 50 } },
    { kind: 'later', isRepeated: false, wait: { count: 100 }, rule: { kind: 'link', action: 'reset' } }
  ])
})

test('a script that is not understood says at which word of which line, and what could stand there', () => {
  const cases: [script: string, message: string][] = [
    ['delay answers', 'Line 1, word 3: the line ends; expected a time, such as 50ms, 5s or 2m.'],
    [
      'behave\n\ndelay answers soon',
      'Line 3, word 3: "soon" is not understood; expected a time, such as 50ms, 5s or 2m.'
    ],
    ['delay anwers 5s', 'Line 1, word 2: "anwers" is not understood; expected answers, or receipts.'],
    [
      'throttle 200',
      'Line 1, word 2: "200" is not understood; expected a rate, such as 200/s, or a share, such as 2%, or never.'
    ],
    ['hold answers now', 'Line 1, word 3: "now" is not understood; expected the end of the line.'],
    [
      'after ten submits reset',
      'Line 1, word 2: "ten" is not understood; expected a number, such as 100, or a time, such as 50ms, 5s or 2m.'
    ],
    [
      'after 0s reset',
      'Line 1, word 2: "0s" is not understood; expected a number, such as 100, or a time, such as 50ms, 5s or 2m.'
    ],
    ['after 10 reset', 'Line 1, word 3: "reset" is not understood; expected submits.'],
    ['after 10 submits', 'Line 1, word 4: the line ends; expected'],
    ['after 10 submits rest', 'Line 1, word 4: "rest" is not understood; expected behave, or reset, or'],
    [
      'refuse binds 0 times',
      'Line 1, word 3: "0" is not understood; expected the end of the line, or with, or a number, such as 100.'
    ],
    [
      'refuse submits with ESME_WRONG',
      'Line 1, word 4: "ESME_WRONG" is not understood; expected a status, such as ESME_RSYSERR or 0x400.'
    ],
    ['drop every 1000 answer', 'Line 1, word 3: "1000" is not understood; expected which one, such as 1000th.'],
    [
      'ids octal',
      'Line 1, word 2: "octal" is not understood; expected dec, hex, upper-hex, padded-dec, padded-hex, uuid, or from.'
    ],
    ['receipts say', 'Line 1, word 3: the line ends; expected words of receipts, such as ENROUTE DELIVRD.']
  ]
  for (const [script, message] of cases) {
    assert.throws(
      () => parseFaults(script),
      (error: Error) => {
        assert.equal(error.message.slice(0, message.length), message)
        return true
      }
    )
  }
})

test('a script with an error changes nothing', async (t) => {
  const { smsc, client } = await startBound(t, '')
  assert.throws(() => smsc.apply('hold answers\nhold anwers'), /Line 2, word 2/)
  assert.equal((await client.submit(PHONE, 'Bonjour')).command_status, 0)
  await assert.rejects(startSmsc({ phones: new Phones(), faults: 'misbehave' }), /Line 1, word 1/)
})
