import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { pino } from 'pino'
import { readCarriersFile } from '../../src/carriers/carriers-file.ts'
import { RoutingTable } from '../../src/carriers/routing-table.ts'
import { connect } from '../../src/database/database.ts'
import { fallBack } from '../../src/fallback/fall-back.ts'
import { readPriceBook } from '../../src/prices/price-book.ts'
import { openConversation } from '../../src/rcs-conversations/open-conversation.ts'
import { settleConversations } from '../../src/rcs-conversations/settle-conversations.ts'
import { moveRecipients } from '../../src/recipients/move-recipients.ts'
import { RECIPIENT_STATES } from '../../src/recipients/recipient.ts'
import { closeMonths } from '../../src/statements/close-months.ts'
import { foldCredits } from '../../src/statements/fold-credits.ts'
import { eventually } from '../checks/eventually.ts'
import { assertLedgerHolds } from '../checks/ledger.ts'
import { carriersFile, carrierTo } from '../peers/smsc.ts'
import { atEnd } from '../service/cleanup.ts'
import { fileForm } from '../service/file-form.ts'
import { makePriceList, priceFile } from '../service/price-lists.ts'
import { startService, type TestAccount, test } from '../service/service.ts'

/*
 * Random histories of a parent and its sub-account, and an oracle that knows prices and nothing of the code: what each message
 * takes and gives back, from whose credits, in which month.
 */

const RUNS = 3
const PHONES = ['+33639980001', '+33639980002'] as const
const GIVEN = 100_000

/** Credits of a version: for a segment, an RCS text and a conversation. */
type Prices = readonly [sms: number, rcs: number, conversation: number]
type Type = 'sms' | 'rcs'
type Payer = 'parent' | 'child'

interface SentRcs {
  id: number
  phone: string
  payer: Payer
  /** At which it was accepted. */
  prices: Prices
  isCovered: boolean
  state: 'waiting' | 'delivered' | 'settled' | 'over'
}

const rowsOf = ([sms, rcs, conversation]: Prices) => [
  `sms,*,${sms}`,
  `rcs_basic,*,${rcs}`,
  `rcs_single,*,${rcs}`,
  `rcs_conversation,*,${conversation}`
]

async function startWorld(t: TestContext) {
  const { path } = await carriersFile(t, [carrierTo({ host: '127.0.0.1', port: 1 })])
  const service = await startService(t)
  const book = await readPriceBook(service.pool, pino({ level: 'silent' }))
  atEnd(t, () => book.stop())
  const routing = new RoutingTable(readCarriersFile(path))
  routing.prices = book
  const { databaseUrl } = service
  const owner = connect({ url: { ...databaseUrl, user: 'postgres' }, applicationName: 'histories', connectionsMax: 1 })
  atEnd(t, () => owner.close(1))
  // The time of entries is that of the history. It lies ahead, so that nobody else closes its months.
  await owner.unsafe(`
    create table history_clock (at timestamptz not null);
    insert into history_clock values (now());
    create function tell_history_time() returns trigger language plpgsql security definer as
      $$ begin new.created_at := (select at from public.history_clock); return new; end $$;
    create trigger history_time before insert on credit_entries for each row execute function tell_history_time();
  `)
  const setClock = (at: Date) => owner`update history_clock set at = ${at}`
  return { service, book, routing, setClock }
}

type World = Awaited<ReturnType<typeof startWorld>>

/** What the ledger and the statements must have. */
class Oracle {
  readonly left: Record<Payer, Record<Type, number>>
  readonly sums = new Map<string, number>()
  month = ''

  constructor(given: number) {
    this.left = { parent: { sms: given, rcs: given }, child: { sms: given, rcs: given } }
  }

  move(payer: Payer, type: Type, kind: 'used' | 'refunded', credits: number): void {
    if (credits === 0) return
    this.left[payer][type] += kind === 'used' ? -credits : credits
    const key = `${payer} ${this.month} ${type} ${kind}`
    this.sums.set(key, (this.sums.get(key) ?? 0) + credits)
  }
}

class History {
  readonly #world: World
  readonly #parent: TestAccount
  readonly #child: TestAccount
  readonly #lists: { parent: number; child: number }
  readonly oracle = new Oracle(GIVEN)
  #own: Prices = [3, 5, 9]
  #parents: Prices = [2, 4, 7]
  #hasList = true
  #payer: Payer = 'child'
  at: Date
  readonly #conversations = new Map<string, { price: number; charged: number }>()
  readonly #rcs: SentRcs[] = []
  readonly #scheduled: { id: number; payer: Payer; credits: number }[] = []

  constructor(
    world: World,
    parts: { parent: TestAccount; child: TestAccount; lists: { parent: number; child: number }; at: Date }
  ) {
    this.#world = world
    this.#parent = parts.parent
    this.#child = parts.child
    this.#lists = parts.lists
    this.at = parts.at
    this.oracle.month = this.at.toISOString().slice(0, 7)
  }

  /** The prices of the sub-account: its parent's for its parent's credits, and never below those. */
  get #prices(): Prices {
    if (this.#payer === 'parent' || !this.#hasList) return this.#parents
    return this.#own.map((price, index) => Math.max(price, this.#parents[index] as number)) as unknown as Prices
  }

  async pass(days: number): Promise<void> {
    this.at = new Date(this.at.getTime() + days * 86_400_000)
    await this.#world.setClock(this.at)
    this.oracle.month = this.at.toISOString().slice(0, 7)
  }

  async follow(whose: Payer, prices: Prices): Promise<void> {
    const { operator } = this.#world.service
    const form = fileForm(priceFile(...rowsOf(prices)))
    const [maker, id] =
      whose === 'parent' ? ([operator, this.#lists.parent] as const) : ([this.#parent, this.#lists.child] as const)
    await maker.expect(200).post(`/price-lists/${id}/versions`, form)
    if (whose === 'parent') this.#parents = prices
    else this.#own = prices
    await this.#world.book.refresh()
  }

  async move(): Promise<void> {
    this.#hasList = !this.#hasList
    const price_list = this.#hasList ? this.#lists.child : null
    await this.#parent.expect(200).put(`/subaccount/${this.#child.id}/price-list`, { price_list })
    await this.#world.book.refresh()
  }

  async changeMode(): Promise<void> {
    this.#payer = this.#payer === 'child' ? 'parent' : 'child'
    const credits_mode = this.#payer === 'child' ? 'self' : 'parent'
    await this.#parent.expect(200).put(`/subaccount/${this.#child.id}/credits/mode`, { credits_mode })
    await this.#world.book.refresh()
  }

  async sendSms(phone: string, isScheduled: boolean): Promise<void> {
    const [credits] = this.#prices
    const scheduleAt = isScheduled ? new Date(Date.now() + 86_400_000).toISOString() : undefined
    const { body } = await this.#child
      .expect(200)
      .post('/messages/sms', { recipients: [phone], content: 'Bonjour', scheduleAt })
    assert.equal(body.credits_used, credits)
    this.oracle.move(this.#payer, 'sms', 'used', credits)
    if (isScheduled) this.#scheduled.push({ id: body.message_id, payer: this.#payer, credits })
  }

  async cancel(): Promise<void> {
    const message = this.#scheduled.pop()
    if (!message) return
    await this.#child.expect(200).put(`/messages/${message.id}/cancel`)
    this.oracle.move(message.payer, 'sms', 'refunded', message.credits)
  }

  async sendRcs(phone: string): Promise<void> {
    const prices = this.#prices
    const content = { type: 'text', data: { text: 'Bonjour' }, fallback: { content: 'Bonjour', sender: 'CHAPPE' } }
    const { body } = await this.#child
      .expect(200)
      .post('/messages/rcs', { ...content, contacts: [{ recipient: phone }] })
    this.oracle.move(this.#payer, 'rcs', 'used', prices[1])
    const isCovered = this.#conversations.has(phone)
    this.#rcs.push({ id: body.message_id, phone, payer: this.#payer, prices, isCovered, state: 'waiting' })
  }

  async reply(phone: string): Promise<void> {
    const { service, book } = this.#world
    await service.pool.begin((database) => openConversation(database, { accountId: this.#child.id, phone }, book))
    if (!this.#conversations.has(phone)) this.#conversations.set(phone, { price: this.#prices[2], charged: 0 })
  }

  async deliver(phone: string): Promise<void> {
    const rcs = this.#rcs.find((one) => one.phone === phone && one.state === 'waiting')
    if (!rcs) return
    const key = { accountId: this.#child.id, messageId: rcs.id, position: 1 }
    const at = new Date()
    const { sent: from, delivered: to } = RECIPIENT_STATES
    await this.#world.service.pool.begin((database) =>
      moveRecipients(database, [
        { ...key, kind: 'sent', channel: 'rcs', carrier: 'rcs', carrierMessageIds: [`rcs-${rcs.id}`] }
      ])
    )
    await this.#world.service.pool.begin((database) =>
      moveRecipients(database, [
        { ...key, kind: 'rcs-reported', from, to, deliveredAt: at, readAt: at, receipt: 'DELIVERED' }
      ])
    )
    rcs.state = 'delivered'
  }

  async fallBack(phone: string): Promise<void> {
    const rcs = this.#rcs.find((one) => one.phone === phone && one.state === 'waiting')
    if (!rcs) return
    const failure = { accountId: this.#child.id, messageId: rcs.id, position: 1, reason: 'No report.' }
    const counts = await this.#world.service.pool.begin((database) =>
      fallBack(database, [{ ...failure, errorCode: 'rcs_not_delivered' }], this.#world.routing)
    )
    assert.deepEqual(counts, { sms: 1, failed: 0 })
    this.oracle.move(rcs.payer, 'rcs', 'refunded', rcs.prices[1])
    // The list of the payer counts: if that is another one by now, the prices of now.
    const [credits] = this.#payer === rcs.payer ? rcs.prices : this.#prices
    this.oracle.move(this.#payer, 'sms', 'used', credits)
    rcs.state = 'over'
  }

  async settle(): Promise<void> {
    const { pool } = this.#world.service
    await pool`update rcs_conversations set settle_at = now() where settle_at is not null`
    await settleConversations(pool)
    for (const rcs of this.#rcs) {
      const conversation = this.#conversations.get(rcs.phone)
      if (!conversation || !rcs.isCovered || rcs.state !== 'delivered') continue
      const charged = Math.min(rcs.prices[1], conversation.price - conversation.charged)
      conversation.charged += charged
      rcs.state = 'settled'
      this.oracle.move(rcs.payer, 'rcs', 'refunded', rcs.prices[1] - charged)
    }
  }

  async readLeft(): Promise<Oracle['left']> {
    const read = async (id: number) => {
      const rows = await this.#world.service.pool<{ available: number }[]>`
        select available from credit_balances where account_id = ${id} order by message_type
      `
      return { sms: rows[0]?.available ?? 0, rcs: rows[1]?.available ?? 0 }
    }
    return { parent: await read(this.#parent.id), child: await read(this.#child.id) }
  }

  /** What messages used and gave back, by the statements. */
  async readStated(): Promise<Map<string, number>> {
    const rows = await this.#world.service.pool<
      { accountId: number; month: string; messageType: number; used: number; refunded: number }[]
    >`
      select account_id, to_char(month, 'YYYY-MM') as month, message_type, used, refunded
      from statement_balances
      where account_id in (${this.#parent.id}, ${this.#child.id})
    `
    const found = new Map<string, number>()
    for (const { accountId, month, messageType, ...sums } of rows) {
      const payer = accountId === this.#parent.id ? 'parent' : 'child'
      for (const kind of ['used', 'refunded'] as const) {
        if (sums[kind] > 0) found.set(`${payer} ${month} ${messageType === 1 ? 'sms' : 'rcs'} ${kind}`, sums[kind])
      }
    }
    return found
  }
}

async function begin(world: World, at: Date): Promise<History> {
  const { operator, newAccount } = world.service
  const parent = await newAccount({ credits: 2 * GIVEN })
  const child = await parent.newSubAccount({ credits: GIVEN })
  await parent.expect(200).put(`/subaccount/${child.id}/credits/add`, { credits: GIVEN, msgType: 2 })
  const name = `List ${parent.id}`
  const lists = {
    parent: await makePriceList(operator, name, ...rowsOf([2, 4, 7])),
    child: await makePriceList(parent, name, ...rowsOf([3, 5, 9]))
  }
  await operator.expect(200).put(`/accounts/${parent.id}/price-list`, { price_list: lists.parent })
  await parent.expect(200).put(`/subaccount/${child.id}/price-list`, { price_list: lists.child })
  await world.book.refresh()
  return new History(world, { parent, child, lists, at })
}

const price = fc.integer({ min: 1, max: 12 })
const step = fc.record({
  what: fc.constantFrom(
    ...(['sms', 'schedule', 'cancel', 'rcs', 'rcs', 'reply', 'deliver', 'deliver', 'fallback', 'settle'] as const),
    ...(['own', 'parents', 'move', 'mode', 'days', 'fold'] as const)
  ),
  phone: fc.constantFrom(...PHONES),
  prices: fc.tuple(price, price, price),
  days: fc.integer({ min: 5, max: 40 })
})

test('for any history of prices, lists, modes, cancels, fallbacks and conversations, ledger and statements have what the prices say', async (t) => {
  const world = await startWorld(t)
  const { pool } = world.service
  const seed = Number(process.env.CHAPPE_TEST_SEED ?? Date.now() % 1_000_000_000)
  t.diagnostic(`CHAPPE_TEST_SEED=${seed}`)
  const first = new Date(Date.now() + 35 * 86_400_000)
  await world.setClock(first)
  // Their statements are read at the end: a month is closed once.
  const histories: History[] = []
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 25 }), async (steps) => {
      const history = await begin(world, first)
      for (const { what, phone, prices, days } of steps) {
        if (what === 'sms' || what === 'schedule') await history.sendSms(phone, what === 'schedule')
        else if (what === 'cancel') await history.cancel()
        else if (what === 'rcs') await history.sendRcs(phone)
        else if (what === 'reply') await history.reply(phone)
        else if (what === 'deliver') await history.deliver(phone)
        else if (what === 'fallback') await history.fallBack(phone)
        else if (what === 'settle') await history.settle()
        else if (what === 'own' || what === 'parents') await history.follow(what === 'own' ? 'child' : 'parent', prices)
        else if (what === 'move') await history.move()
        else if (what === 'mode') await history.changeMode()
        else if (what === 'days') await history.pass(days)
        else await foldCredits(pool)
      }
      await history.settle()
      assert.deepEqual(await history.readLeft(), history.oracle.left)
      await world.setClock(first)
      histories.push(history)
    }),
    { numRuns: RUNS, seed, endOnFailure: true }
  )
  const last = new Date(Math.max(...histories.map(({ at }) => at.getTime())))
  const now = () => new Date(last.getTime() + 40 * 86_400_000)
  await eventually(async () => {
    while ((await closeMonths(pool, { issuer: { name: 'Chappe', address: '' }, now })).isMoreDue);
    const [open] = await pool`
      select
      from credit_entries
      where date_trunc('month', created_at at time zone 'UTC')::date not in (select month from statement_months)
    `
    assert.equal(open, undefined, 'every month with entries is closed')
  })
  for (const history of histories) {
    assert.deepEqual(
      new Map([...(await history.readStated())].sort()),
      new Map([...history.oracle.sums].sort()),
      `CHAPPE_TEST_SEED=${seed}`
    )
  }
  await assertLedgerHolds(pool)
})
