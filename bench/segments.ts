import { parseArgs } from 'node:util'
import { ask, MACHINE, type RunningChappe, say, sayMemory, timed, watchMemory } from './child.ts'
import { type Cost, measureCost } from './cost.ts'
import { CONTENT, withChappeAt } from './harness.ts'
import { median } from './load.ts'
import { type Smsc, startSmsc } from './smsc.ts'
import { connectAsSuperuser, countStatements } from './statements.ts'

/*
 * `npm run bench:segments`: a million contacts in two lists that overlap, and messages that everybody got; then counts of rules
 * over them through the API, each the median of some rounds, and the memory that they took. The aim of a count is 2 s. At last,
 * a campaign to a third list and one to a segment of the same people, in turn, until the last receipt is answered.
 */

const { values } = parseArgs({
  options: {
    contacts: { type: 'string', default: '1000000' },
    messages: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
    campaign: { type: 'string', default: '100000' }
  }
})
const count = Number(values.contacts)
const messages = Number(values.messages)
const rounds = Number(values.rounds)
const campaign = Number(values.campaign)
const CAMPAIGN_AIM = 1.1

/** Each message goes to its part of the people; half of them clicked. */
const each = Math.floor(count / messages)

const field = (name: string, op: string, value?: string) => ({
  type: 'field',
  field: name,
  op,
  ...(value && { value })
})
const list = (op: string, list_id: number) => ({ type: 'list', op, list_id })
const event = (name: string, op: string, rest = {}) => ({ type: 'event', event: name, op, ...rest })

const smsc = await startSmsc()
try {
  await withChappeAt(smsc, {}, async (chappe) => {
    const newList = async (name: string) => (await ask<{ id: number }>(chappe.url, '/contactlists', { name })).id
    const [a, b, c] = [await newList('A'), await newList('B'), await newList('C')]
    await fill(chappe.folder, { a, b, c })
    await measureCounts(chappe, { a, b })
    await compareCampaigns(smsc, chappe, c)
  })
  say(MACHINE)
} finally {
  await smsc.close()
}

async function measureCounts({ url }: RunningChappe, { a, b }: { a: number; b: number }): Promise<void> {
  const cases: [name: string, match: 'all' | 'any', rules: object[]][] = [
    ['all of them', 'any', [field('champ_nom', 'not_empty'), field('champ_nom', 'empty')]],
    ['a city', 'all', [field('champ_ville', 'is', 'Lyon')]],
    ['a text and a day', 'all', [field('champ_nom', 'contains', 'tin9'), field('champ_date', 'before', '1990-01-01')]],
    ['list A without list B', 'all', [list('in', a), list('not_in', b)]],
    ['not written to for 30 days', 'all', [event('written', 'not_happened', { days: 30 })]],
    [
      'in a list and a city, and clicked or never written to',
      'all',
      [
        list('in', a),
        field('champ_ville', 'is_not', 'Paris'),
        {
          type: 'group',
          match: 'any',
          rules: [event('clicked', 'happened', { days: 90 }), event('delivered', 'not_happened')]
        }
      ]
    ]
  ]
  const watched = await watchMemory(url, async () => {
    for (const [name, match, rules] of cases) {
      const times: number[] = []
      let people = 0
      for (let round = 0; round < rounds; round++) {
        const { result, seconds } = await timed(() => ask<{ count: number }>(url, '/segments/count', { match, rules }))
        people = result.count
        times.push(seconds)
      }
      say(`${name}: ${people} people in ${median(times).toFixed(2)} s (median of ${rounds}; aim: at most 2 s)`)
    }
  })
  sayMemory('counting', watched)
}

/** A segment asks every contact of its list one more question. */
async function compareCampaigns(smsc: Smsc, chappe: RunningChappe, listId: number): Promise<void> {
  const rules = [list('in', listId), field('champ_ville', 'not_empty')]
  const { id } = await ask<{ id: number }>(chappe.url, '/segments', { name: 'C', match: 'all', rules })
  const sides = {
    list: { audience: { contactlist: [listId] }, costs: [] as Cost[] },
    segment: { audience: { segments: [id] }, costs: [] as Cost[] }
  }
  const counter = await countStatements(chappe.folder)
  try {
    for (let round = 0; round < rounds; round++) {
      // Turn about: neither side is always the one that follows the other.
      const { list, segment } = sides
      for (const { audience, costs } of round % 2 === 0 ? [list, segment] : [segment, list]) {
        const answered = smsc.answered
        const cost = await measureCost(chappe, counter, campaign, async () => {
          await ask(chappe.url, '/messages/sms/contactlist', { ...audience, content: CONTENT })
          await smsc.untilAnswered(answered + campaign)
        })
        costs.push(cost)
      }
    }
  } finally {
    await counter.close()
  }
  for (const [name, { costs }] of Object.entries(sides)) {
    const perSecond = campaign / median(costs.map(({ seconds }) => seconds))
    const micros = (median(costs.map(cpuOf)) * 1e6) / campaign
    say(`campaign to ${campaign} by a ${name}: ${perSecond.toFixed(0)}/s, CPU a message ${micros.toFixed(0)} µs`)
  }
  const ratioOf = (read: (cost: Cost) => number) =>
    median(sides.segment.costs.map((cost, round) => read(cost) / read(sides.list.costs[round] as Cost))).toFixed(2)
  say(
    `ratio of a segment to a list: CPU ${ratioOf(cpuOf)}, time ${ratioOf(({ seconds }) => seconds)} ` +
      `(aim: at most ${CAMPAIGN_AIM}; median of ${rounds} pairs)`
  )
}

function cpuOf({ cpu }: Cost): number {
  return cpu.chappe + cpu.postgres
}

/** Rows as imports and deliveries leave them, written directly: this bench measures what reads them. */
async function fill(folder: string, { a, b, c }: { a: number; b: number; c: number }): Promise<void> {
  const pool = await connectAsSuperuser(folder)
  await pool`set statement_timeout = 0`
  const accountId = (await pool<[{ id: number }]>`select id from accounts where is_operator`)[0].id
  const numbers = `'+336' || lpad(n::text, 8, '0')`
  // Nine tenths in list A; a fifth in list B, of which a half is also in A; those of the campaign in list C.
  for (const [listId, condition] of [
    [a, 'n % 10 <> 0'],
    [b, 'n % 10 in (0, 1)'],
    [c, `n < ${campaign}`]
  ]) {
    await pool.unsafe(
      `
        insert into contacts (account_id, id, list_id, phone, last_name, first_name, date, city)
        select $1::bigint, nextval('contact_ids'), $2::bigint, ${numbers}, 'Martin' || n, 'Léa', make_date(1950 + n % 60, 1 + n % 12, 5)::text,
          (array['Lyon', 'Paris', 'Lille', 'Brest'])[1 + n % 4]
        from generate_series(0, $3::integer - 1) as n
        where ${condition}
      `,
      [accountId, listId as number, count]
    )
    await pool`
      update contact_lists
      set contacts_count = (select count(*) from contacts where list_id = ${listId as number}),
          rcs_capability = 'ready'
      where id = ${listId as number}
    `
  }
  for (let message = 0; message < messages; message++) {
    await pool.unsafe(
      `
        with message as (
          insert into messages (account_id, id, channel, category, state, content, sender, scheduled_at, recipients_count,
            segments_count, credits_required, delivered_count, taken_count)
          values ($1::bigint, nextval('message_ids'), 'sms', 'transactional', 'sent', 'Bonjour', 'CHAPPE', now(), $2::integer, $2::integer,
            $2::integer, $2::integer, $2::integer)
          returning id
        )
        insert into recipients (account_id, message_id, position, state, segments, credits, country, phone, content, sent_at,
          delivered_at, clicked_at, carrier, carrier_message_ids)
        select $1::bigint, message.id, n - $3::integer + 1, 1, 1, 1, 'FR', ${numbers}, null, now(), now(),
          case when n % 2 = 0 then now() end, 'main', array[n::text]
        from message, generate_series($3::integer, $3::integer + $2::integer - 1) as n
      `,
      [accountId, each, message * each]
    )
  }
  await pool`vacuum (analyze) contacts, recipients`
  await pool.close(5)
  say(`stored ${count} people in three lists, and ${messages} messages to ${each} of them each`)
}
