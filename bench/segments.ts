import { parseArgs } from 'node:util'
import { API_KEY, ask, MACHINE, say, sayMemory, timed, watchMemory, withChappe } from './child.ts'
import { connectAsSuperuser } from './statements.ts'

/*
 * `npm run bench:segments`: a million contacts in two lists that overlap, and messages that everybody got; then counts of rules
 * over them through the API, each the median of some rounds, and the memory that they took. The aim of a count is 2 s.
 */

const { values } = parseArgs({
  options: {
    contacts: { type: 'string', default: '1000000' },
    messages: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' }
  }
})
const count = Number(values.contacts)
const messages = Number(values.messages)
const rounds = Number(values.rounds)

/** Each message goes to its part of the people; half of them clicked. */
const each = Math.floor(count / messages)

await withChappe({ CHAPPE_ADMIN_API_KEY: API_KEY }, async ({ url, folder }) => {
  const [a, b] = [await newList('A'), await newList('B')]
  await fill(folder, [a, b])

  const field = (name: string, op: string, value?: string) => ({
    type: 'field',
    field: name,
    op,
    ...(value && { value })
  })
  const list = (op: string, list_id: number) => ({ type: 'list', op, list_id })
  const event = (name: string, op: string, rest = {}) => ({ type: 'event', event: name, op, ...rest })
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
      const median = times.sort((x, y) => x - y)[Math.floor(times.length / 2)] ?? 0
      say(`${name}: ${people} people in ${median.toFixed(2)} s (median of ${rounds}; aim: at most 2 s)`)
    }
  })
  sayMemory('counting', watched)
  say(MACHINE)

  async function newList(name: string): Promise<number> {
    return (await ask<{ id: number }>(url, '/contactlists', { name })).id
  }
})

/** Rows as imports and deliveries leave them, written directly: this bench measures what reads them. */
async function fill(folder: string, [a, b]: [number, number]): Promise<void> {
  const pool = await connectAsSuperuser(folder)
  await pool`set statement_timeout = 0`
  const accountId = (await pool<[{ id: number }]>`select id from accounts where is_operator`)[0].id
  const numbers = `'+336' || lpad(n::text, 8, '0')`
  // Nine tenths in list A; a fifth in list B, of which a half is also in A.
  for (const [listId, condition] of [
    [a, 'n % 10 <> 0'],
    [b, 'n % 10 in (0, 1)']
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
  say(`stored ${count} people in two lists, and ${messages} messages to ${each} of them each`)
}
