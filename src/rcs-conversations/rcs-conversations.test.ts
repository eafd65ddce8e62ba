import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { pino } from 'pino'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { makePriceList } from '../../test/service/price-lists.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import type { Database } from '../database/database.ts'
import { finishErasures } from '../personal-data/finish-erasures.ts'
import { type PriceBookReader, readPriceBook } from '../prices/price-book.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import { checkCredits } from '../statements/check-statements.ts'
import { openConversation } from './open-conversation.ts'
import { chargeEach, settleConversations } from './settle-conversations.ts'

const [LEA, MAX] = ['+33639980001', '+33639980002'] as const
const BASIC = 2
const SINGLE = 5
const CONVERSATION = 6
const LISTED = ['sms,*,1', `rcs_basic,*,${BASIC}`, `rcs_single,*,${SINGLE}`]

interface World {
  service: TestService
  account: TestAccount
  book: PriceBookReader
}

async function startWorld(t: TestContext, credits = 1_000): Promise<World> {
  const service = await startService(t)
  const account = await service.newAccount({ credits })
  const sold = [...LISTED, `rcs_conversation,*,${CONVERSATION}`]
  const id = await makePriceList(service.operator, 'Conversations', ...sold)
  await service.operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: id })
  const book = await readPriceBook(service.pool, pino({ level: 'silent' }))
  atEnd(t, () => book.stop())
  return { service, account, book }
}

const send = async ({ account }: World, phone: string, { isSingle = false } = {}): Promise<number> => {
  const content = isSingle ? { type: 'card', data: { title: 'Bonjour' } } : { type: 'text', data: { text: 'Bonjour' } }
  return (await account.expect(200).post('/messages/rcs', { ...content, contacts: [{ recipient: phone }] })).body
    .message_id
}

const reply = ({ account, book }: World, database: Database, phone: string) =>
  openConversation(database, { accountId: account.id, phone }, book)

const replyAlone = (world: World, phone: string) => world.service.pool.begin((sql) => reply(world, sql, phone))

/** As the platform tells it. */
async function deliver({ service, account }: World, messageId: number): Promise<void> {
  const key = { accountId: account.id, messageId, position: 1 }
  await service.pool.begin((database) =>
    moveRecipients(database, [
      { ...key, kind: 'sent', channel: 'rcs', carrier: 'rcs', carrierMessageIds: [`rcs-${messageId}`] }
    ])
  )
  const at = new Date()
  const { sent: from, delivered: to } = RECIPIENT_STATES
  await service.pool.begin((database) =>
    moveRecipients(database, [
      { ...key, kind: 'rcs-reported', from, to, deliveredAt: at, readAt: at, receipt: 'DELIVERED' }
    ])
  )
}

async function settle({ service: { pool } }: World): Promise<void> {
  await pool`update rcs_conversations set settle_at = now() where settle_at is not null`
  await settleConversations(pool)
}

const balance = async ({ account }: World): Promise<number> =>
  (await account.expect(200).get('/users/credits')).body[1].credits

test('a reply opens 24 hours in which a person costs the conversation’s price at most, and the difference comes back', async (t) => {
  const world = await startWorld(t)
  const before = await send(world, LEA, { isSingle: true })
  await deliver(world, before)
  await replyAlone(world, LEA)
  assert.equal(await balance(world), 1_000 - SINGLE, 'what was sent before the reply keeps its price')
  const [first, second, third] = [
    await send(world, LEA),
    await send(world, LEA, { isSingle: true }),
    await send(world, LEA)
  ]
  const other = await send(world, MAX)
  for (const id of [third, first, second, other]) await deliver(world, id)
  assert.equal(await balance(world), 1_000 - 2 * SINGLE - 3 * BASIC)
  await settle(world)
  assert.equal(await balance(world), 1_000 - SINGLE - CONVERSATION - BASIC)
  await settle(world)
  assert.equal(await balance(world), 1_000 - SINGLE - CONVERSATION - BASIC, 'once')
  const { body } = await world.account.expect(200).get(`/messages/${third}`)
  assert.deepEqual([body.credits_required, body.credits_refunded], [BASIC, BASIC])
  const recipients = (await world.account.expect(200).get(`/messages/${third}/recipients/rcs`)).body.items
  const timeline = await world.account.expect(200).get(`/messages/${third}/recipients/${recipients[0].id}/timeline`)
  assert.match(JSON.stringify(timeline.body), /A conversation covers it: 2 RCS credits refunded/)

  await world.service.pool`update rcs_conversations set ends_at = now()`
  const after = await send(world, LEA)
  await deliver(world, after)
  await settle(world)
  assert.equal(await balance(world), 1_000 - SINGLE - CONVERSATION - 2 * BASIC, 'after its end, messages pay again')
  await replyAlone(world, LEA)
  assert.equal((await world.service.pool`select from rcs_conversations`).length, 2)
  await assertLedgerHolds(world.service.pool)
  await world.account.expect(200).delete(`/contacts/by-number/${LEA}`)
  assert.equal((await world.service.pool`select from rcs_conversations where phone = ${LEA}`).length, 0)
})

test('two replies at once open one conversation; a message accepted before the reply is stored counts by their times', async (t) => {
  const world = await startWorld(t)
  const { pool } = world.service
  await Promise.all([replyAlone(world, LEA), replyAlone(world, LEA), replyAlone(world, LEA)])
  assert.equal((await pool`select from rcs_conversations`).length, 1)

  // The reply came first, and is committed last.
  const message = await pool.begin(async (database) => {
    await reply(world, database, MAX)
    const [id] = [await send(world, MAX, { isSingle: true }), await send(world, MAX, { isSingle: true })]
    await deliver(world, id)
    return id
  })
  await deliver(world, message + 1)
  await Promise.all([settle(world), settle(world)])
  assert.equal(await balance(world), 1_000 - CONVERSATION)
  await assertLedgerHolds(pool)

  const broken = async () =>
    (await checkCredits(pool)).filter(({ violations }) => violations.length > 0).map(({ promise }) => promise)
  await pool`update rcs_conversations set charged = charged - 1 where phone = ${MAX}`
  await pool`update conversation_charges set refunded = refunded + 1 where message_id = ${message + 1}`
  assert.deepEqual(await broken(), [
    'the messages of a conversation took what it was charged, and never more than its price',
    'what a conversation covers came back in the ledger, once'
  ])
})

test('without a price for conversations a reply opens none, and a message that fails pays nothing of one', async (t) => {
  const world = await startWorld(t)
  const { service, account, book } = world
  const plain = await makePriceList(service.operator, 'Plain', ...LISTED)
  await replyAlone(world, MAX)
  const failed = await send(world, MAX, { isSingle: true })
  await account.expect(200).put(`/messages/${failed}/cancel`)
  for (const id of [await send(world, MAX, { isSingle: true }), await send(world, MAX)]) await deliver(world, id)
  await settle(world)
  assert.equal(await balance(world), 1_000 - CONVERSATION)
  await service.operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: plain })
  await book.reread()
  await replyAlone(world, LEA)
  assert.equal((await service.pool`select from rcs_conversations`).length, 1)
})

test('an RCS is covered however many others the person had, and of a person who is erased too', async (t) => {
  const world = await startWorld(t)
  const { pool } = world.service
  await replyAlone(world, LEA)
  const first = await send(world, LEA, { isSingle: true })
  // Those that were settled before are newer than it, and more than one look takes.
  await pool`
    with others as (
      insert into recipients (account_id, message_id, position, state, segments, credits, country, phone, delivered_at)
      select ${world.account.id}, nextval('message_ids'), 1, ${RECIPIENT_STATES.delivered}, 0, 0, 'FR', ${LEA}, now()
      from generate_series(1, 501)
      returning account_id, message_id, position
    )
    insert into conversation_charges (account_id, message_id, position, conversation_id, charged, refunded)
    select account_id, message_id, position, 1, 0, 0
    from others
  `
  await deliver(world, first)
  await deliver(world, await send(world, LEA, { isSingle: true }))
  await settle(world)
  assert.equal(await balance(world), 1_000 - CONVERSATION)

  await replyAlone(world, MAX)
  await deliver(world, await send(world, MAX, { isSingle: true }))
  const [second, third] = [await send(world, MAX), await send(world, MAX)]
  await deliver(world, second)
  const { body } = await world.account.expect(200).delete(`/contacts/by-number/${MAX}`)
  assert.equal(body.messages_under_way, 1)
  await deliver(world, third)
  assert.equal(await balance(world), 1_000 - 2 * CONVERSATION - BASIC)
  await pool`update pending_erasures set next_look_at = now()`
  await finishErasures(pool)
  assert.equal(await balance(world), 1_000 - 2 * CONVERSATION, 'what was under way is covered too')
  assert.equal((await pool`select from rcs_conversations where phone = ${MAX}`).length, 0)
  await assertLedgerHolds(pool)
})

test('a conversation that can’t be settled holds up no other, and is settled when it can be', async (t) => {
  const world = await startWorld(t)
  const { pool } = world.service
  for (const phone of [MAX, LEA]) {
    await replyAlone(world, phone)
    for (let count = 0; count < 2; count++) await deliver(world, await send(world, phone, { isSingle: true }))
  }
  const spoil = (change: number) => pool`
    update credit_reservations
    set refunded = refunded + ${change}
    from recipients
    where reference = 'message ' || message_id
      and phone = ${MAX}
  `
  await spoil(SINGLE)
  await pool`update rcs_conversations set settle_at = now() - interval '1 hour' where phone = ${MAX}`
  await assert.rejects(settleConversations(pool), /1 conversations could not be settled/)
  assert.equal(await balance(world), 1_000 - 2 * SINGLE - CONVERSATION)
  assert.deepEqual(await settleConversations(pool), { isMoreDue: false }, 'it has had its turn')
  await spoil(-SINGLE)
  await settle(world)
  assert.equal(await balance(world), 1_000 - 2 * CONVERSATION)
  await assertLedgerHolds(pool)
})

test('for any history of sends, replies, reports and settlements, the ledger has what the prices say', async (t) => {
  const world = await startWorld(t, 100_000)
  const { pool } = world.service
  const step = fc.record({
    what: fc.constantFrom('send', 'send', 'reply', 'deliver', 'settle', 'cancel'),
    phone: fc.constantFrom<string>(LEA, MAX),
    isSingle: fc.boolean()
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      await pool`update rcs_conversations set ends_at = now() where ends_at > now()`
      const start = await balance(world)
      const isOpen = new Set<string>()
      const sent: { id: number; phone: string; price: number; isCovered: boolean; state: string }[] = []
      for (const { what, phone, isSingle } of steps) {
        const waiting = sent.find((one) => one.phone === phone && one.state === 'waiting')
        if (what === 'send') {
          const price = isSingle ? SINGLE : BASIC
          const id = await send(world, phone, { isSingle })
          sent.push({ id, phone, price, isCovered: isOpen.has(phone), state: 'waiting' })
        } else if (what === 'reply') {
          await replyAlone(world, phone)
          isOpen.add(phone)
        } else if (what === 'settle') await settle(world)
        else if (waiting && what === 'deliver') {
          await deliver(world, waiting.id)
          waiting.state = 'delivered'
        } else if (waiting) {
          await world.account.expect(200).put(`/messages/${waiting.id}/cancel`)
          waiting.state = 'cancelled'
        }
      }
      for (const one of sent) if (one.state === 'waiting') await deliver(world, one.id)
      await settle(world)
      const paid = sent.filter(({ state }) => state !== 'cancelled')
      const sum = (some: typeof sent) => some.reduce((total, { price }) => total + price, 0)
      const covered = [LEA, MAX].map((phone) => sum(paid.filter((one) => one.isCovered && one.phone === phone)))
      const expected =
        sum(paid.filter(({ isCovered }) => !isCovered)) +
        covered.reduce((total, credits) => total + Math.min(credits, CONVERSATION), 0)
      assert.equal(start - (await balance(world)), expected)
      // A conversation of the next history must not begin in the same moment as the last message of this one.
      await pool`select pg_sleep(0.002)`
    }),
    { numRuns: 12 }
  )
  const [wrong] = await pool`
    select rcs_conversations.id
    from rcs_conversations
    left join conversation_charges on conversation_id = rcs_conversations.id
    group by rcs_conversations.id, rcs_conversations.charged
    having rcs_conversations.charged <> coalesce(sum(conversation_charges.charged), 0)
  `
  assert.equal(wrong, undefined)
  await assertLedgerHolds(pool)
})

test('the first messages pay until the price is reached', () => {
  const credits = fc.array(fc.integer({ min: 1, max: 20 }))
  fc.assert(
    fc.property(credits, fc.integer({ min: 1, max: 50 }), fc.nat(50), (prices, price, before) => {
      const charged = Math.min(before, price)
      const covered = prices.map((one, index) => ({
        accountId: 1,
        messageId: index,
        position: 1,
        credits: one,
        country: 'FR'
      }))
      const charges = chargeEach({ price, charged }, covered)
      const total = charges.reduce((sum, one) => sum + one.charged, 0)
      assert.equal(
        total,
        Math.min(
          prices.reduce((sum, one) => sum + one, 0),
          price - charged
        )
      )
      for (const [index, one] of charges.entries()) assert.equal(one.charged + one.refunded, prices[index])
    })
  )
})
