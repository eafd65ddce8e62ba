import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { recordReply } from '../replies/record-reply.ts'
import { queueAnswer } from './queue-answer.ts'

const HOURS = { name: 'Horaires', keywords: ['Hôraires', 'HOURS', 'hours!'], content: 'Bonjour #prenom#, de 9 à 19 h.' }
const phone = (digits: number) => `+336399800${String(digits).padStart(2, '0')}`

interface Item {
  recipient: string
  state: string
  message_id: number | null
  problem: string | null
}

const answersOf = async (account: TestAccount, id: number): Promise<Item[]> =>
  (await account.expect(200).get(`/auto-replies/${id}/answers?limit=50`)).body.items

/** Newest first, once all of them are over. */
const untilAnswers = (account: TestAccount, id: number, count: number) =>
  eventually(async () => {
    const items = await answersOf(account, id)
    assert.deepEqual([items.length, items.filter(({ state }) => state === 'waiting').length], [count, 0])
    return items
  })

/** As a carrier brings it, without the way there. */
const reply = ({ pool }: TestService, text: string, from = phone(13), to = '36111') =>
  recordReply(pool, { carrier: 'sandbox', from: from.slice(1), to, text })

const creditsOf = async (account: TestAccount) =>
  (await account.expect(200).get('/users/credits')).body[0].credits as number

test('an auto-reply is made, listed, changed and deleted, by its own account only; one that makes no sense is refused', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [account, other] = [await newAccount(), await newAccount()]
  const { body: made } = await account.expect(200).post('/auto-replies', { ...HOURS, number: '+36111' })
  assert.deepEqual(made, {
    id: made.id,
    name: 'Horaires',
    keywords: ['HORAIRES', 'HOURS'],
    number: '36111',
    content: HOURS.content,
    sender: null,
    pause_seconds: 60,
    is_on: true,
    created_at: made.created_at,
    updated_at: made.updated_at
  })
  const wrong: [body: object, path: string][] = [
    [{ ...HOURS, keywords: ['HOURS', 'Stop'] }, 'keywords[1]'],
    [{ ...HOURS, keywords: ['stop-sms'] }, 'keywords[0]'],
    [{ ...HOURS, keywords: ['Start'] }, 'keywords[0]'],
    [{ ...HOURS, keywords: ['oui'] }, 'keywords[0]'],
    [{ ...HOURS, keywords: ['abmelden'] }, 'keywords[0]'],
    [{ ...HOURS, keywords: ['two words'] }, 'keywords[0]'],
    [{ ...HOURS, keywords: ['?!'] }, 'keywords[0]'],
    [{ ...HOURS, keywords: ['x'.repeat(21)] }, 'keywords[0]'],
    [{ ...HOURS, keywords: [] }, 'keywords'],
    [{ ...HOURS, name: ' ' }, 'name'],
    [{ ...HOURS, number: 'two words' }, 'number'],
    [{ ...HOURS, content: 'Bonjour #taille#' }, 'content'],
    [{ ...HOURS, content: 'é€漢'.repeat(300) }, 'content'],
    [{ ...HOURS, sender: '!!!' }, 'sender'],
    [{ ...HOURS, pause_seconds: 9 }, 'pause_seconds']
  ]
  const path = `/auto-replies/${made.id}`
  for (const [body, place] of wrong) {
    for (const refused of [
      (await account.expect(400).post('/auto-replies', body)).body,
      (await account.expect(400).put(path, body)).body
    ]) {
      assert.equal(refused.details[0].path, place, JSON.stringify(refused))
    }
  }
  assert.deepEqual((await account.expect(200).get('/auto-replies')).body, [made])
  assert.deepEqual((await account.expect(200).get(path)).body, made)
  assert.deepEqual((await other.expect(200).get('/auto-replies')).body, [])
  await other.expect(404).get(path)
  await other.expect(404).get(`${path}/answers`)
  await other.expect(404).put(path, HOURS)
  await other.expect(404).delete(path)

  const { body: changed } = await account.expect(200).put(path, { ...HOURS, keywords: ['OPEN'], is_on: false })
  assert.deepEqual([changed.keywords, changed.number, changed.is_on], [['OPEN'], null, false])
  await pool`
    insert into auto_replies (account_id, id, name, keywords, content, pause_seconds, is_on)
    select ${account.id}, nextval('auto_reply_ids'), 'Name', array['A'], 'Text', 60, false from generate_series(1, 98)
  `
  // Of two at once, one is the last that fits.
  const answers = await Promise.all([1, 2].map(() => account.post('/auto-replies', HOURS)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  await account.expect(200).delete(path)
  await account.expect(404).delete(path)
  const { items } = (await account.expect(200).get(`/audit?object_kind=auto_reply&object_id=${made.id}`)).body
  assert.deepEqual(
    items.map(({ operation }: { operation: string }) => operation),
    ['deleteAutoReply', 'updateAutoReply', 'createAutoReply']
  )
})

test('a person writes a keyword by SMS or RCS and gets the answer; STOP, the pause and the day come before it', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'all' } })
  const account = await service.newAccount({ credits: 30 })
  const { id: list } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  const contacts = [{ tel: phone(13), champ_prenom: 'Léa' }]
  await account.expect(200).post('/contacts', { contactlist_id: list, contacts })
  const { id } = (await account.expect(200).post('/auto-replies', { ...HOURS, pause_seconds: 3600 })).body
  const received = (count: number) =>
    eventually(async () => {
      const { items } = (await account.expect(200).get(`/sandbox/phones/${phone(13)}`)).body
      assert.equal(items.length, count)
      return items[0]
    })
  await account.expect(200).post('/messages/sms', { recipients: [phone(13)], content: 'Bonjour', sender: '36111' })
  await received(1)
  await account.expect(200).post(`/sandbox/phones/${phone(13)}/replies`, { content: 'Horaires, svp ?' })
  const answer = await received(2)
  assert.deepEqual([answer.from, answer.content], ['36111', 'Bonjour Léa, de 9 à 19 h.'])
  const [first] = await untilAnswers(account, id, 1)
  assert.deepEqual([first?.recipient, first?.state, first?.problem], [phone(13), 'sent', null])
  assert.equal((await account.expect(200).get(`/messages/${first?.message_id}`)).body.recipients_count, 1)

  // A word that no rule has, and one within the pause.
  await reply(service, 'Bonjour hours')
  await reply(service, 'HOURS')
  assert.match((await untilAnswers(account, id, 2))[0]?.problem ?? '', /less than 3600 s before/)
  const later = () => service.pool`update auto_reply_answers set answered_at = answered_at - interval '2 hours'`
  await later()
  await reply(service, 'STOP')
  await reply(service, 'hours')
  assert.match((await untilAnswers(account, id, 3))[0]?.problem ?? '', /opted out/i)
  await reply(service, 'START')
  for (let count = 4; count <= 12; count++) {
    await reply(service, 'hours')
    assert.equal((await untilAnswers(account, id, count))[0]?.problem, null)
    await service.pool`
      update auto_reply_answers
      set answered_at = now() - interval '2 hours'
      where message_id is not null
    `
  }
  await reply(service, 'hours')
  assert.match((await untilAnswers(account, id, 13))[0]?.problem ?? '', /10 times within a day/)

  // By RCS: this number of the sandbox answers OK. The rule for the agent comes before the one for any.
  const ok = { name: 'OK', keywords: ['ok'], content: 'Merci #prenom#!', pause_seconds: 3600 }
  const { id: any } = (await account.expect(200).post('/auto-replies', ok)).body
  const { id: ofAgent } = (await account.expect(200).post('/auto-replies', { ...ok, number: 'sandbox@rbm.goog' })).body
  const rcs = { type: 'text', data: { text: 'Bonjour' }, contacts: [{ recipient: phone(5) }] }
  await account.expect(200).post('/messages/rcs', rcs)
  const [byRcs] = await untilAnswers(account, ofAgent, 1)
  assert.deepEqual([byRcs?.recipient, byRcs?.problem], [phone(5), null])
  const { items: sent } = (await account.expect(200).get(`/messages/${byRcs?.message_id}/recipients/sms`)).body
  assert.equal(sent[0].content, 'Merci !')
  // It answers OK to that SMS too, and to the answer: the pause keeps two robots from writing to each other for ever.
  const robots = await untilAnswers(account, any, 2)
  assert.deepEqual(
    robots.map(({ state }) => state),
    ['not_sent', 'sent']
  )
  await account.expect(200).delete(`/contacts/by-number/${encodeURIComponent(phone(13))}`)
  assert.deepEqual(await answersOf(account, id), [])
  await assertLedgerHolds(service.pool)
})

test('two processes answer each reply once; without credits, suspended or switched off, the history says why', async (t) => {
  const service = await startService(t)
  await service.startPeer(t)
  const account = await service.newAccount({ credits: 24 })
  const people = Array.from({ length: 12 }, (_, index) => phone(20 + index))
  await account.expect(200).post('/messages/sms', { recipients: people, content: 'Bonjour', sender: '36111' })
  // No carrier is there to take it, and only who was written to belongs to the account.
  await service.pool`update recipients set sent_at = now()`
  const { id } = (await account.expect(200).post('/auto-replies', { ...HOURS, pause_seconds: 10 })).body
  assert.equal(await creditsOf(account), 12)
  // Each twice, as by a carrier that did not hear that we have it.
  const replies = people.flatMap((from, index) =>
    [1, 2].map(() =>
      recordReply(service.pool, { carrier: 'main', from: from.slice(1), to: '36111', text: 'hours', id: `r${index}` })
    )
  )
  await Promise.all(replies)
  const items = await untilAnswers(account, id, 12)
  assert.deepEqual(new Set(items.map(({ state }) => state)), new Set(['sent']))
  assert.deepEqual(items.map(({ recipient }) => recipient).sort(), people)
  assert.equal((await service.pool`select from messages`).length, 13)
  assert.equal(await creditsOf(account), 0)

  await service.pool`update auto_reply_answers set answered_at = answered_at - interval '1 hour'`
  await reply(service, 'hours', people[0])
  assert.match((await untilAnswers(account, id, 13))[0]?.problem ?? '', /takes 1 SMS credit/)
  const standing = (standing: string) =>
    service.operator.expect(200).put(`/accounts/${account.id}/standing`, { standing, reason: 'Unpaid.' })
  await standing('suspended')
  await reply(service, 'hours', people[0])
  await eventually(async () => {
    const [last] = await service.pool`select problem from auto_reply_answers order by id desc limit 1`
    assert.match(last?.problem ?? '', /suspended/)
  })
  await standing('open')
  // As after an outage of more than an hour.
  await service.pool`
    insert into auto_reply_answers (account_id, auto_reply_id, reply_id, phone, written_to, answered_at)
    values (${account.id}, ${id}, 1000000, ${people[0] as string}, '36111', now() - interval '61 minutes')
  `
  assert.match((await untilAnswers(account, id, 15))[0]?.problem ?? '', /more than an hour old/)
  await account.expect(200).put(`/auto-replies/${id}`, { ...HOURS, is_on: false })
  await reply(service, 'hours', people[0])
  assert.equal((await service.pool`select from replies`).length, 15)
  assert.equal((await untilAnswers(account, id, 15)).length, 15)
  assert.equal((await service.pool`select from messages`).length, 13)
  await assertLedgerHolds(service.pool)
})

test('a rule that is deleted while a reply that it fits is stored leaves no answer behind', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const { id } = (await account.expect(200).post('/auto-replies', HOURS)).body
  await service.pool.begin(async (database) => {
    await queueAnswer(database, { accountId: account.id, phone: phone(13), to: '36111', content: 'hours', replyId: 1 })
    assert.equal((await database`select from auto_reply_answers`).length, 1)
    await account.expect(200).delete(`/auto-replies/${id}`)
  })
  await eventually(async () => assert.equal((await service.pool`select from auto_reply_answers`).length, 0))
})
