import { parseArgs } from 'node:util'
import type { Pool } from '../src/database/database.ts'
import { countGroups } from '../src/results/count-groups.ts'
import { API_KEY, ask, MACHINE, say, timed, withChappe } from './child.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase } from './cpu-seconds.ts'
import { connectAsSuperuser } from './statements.ts'

/*
 * `npm run bench:results`: an account with many campaigns in a year, beside as many of other accounts, and one large campaign.
 * Then the pages of results of that year, each the median of some rounds, with the CPU that a request took. The aim is 300 ms.
 */

const { values } = parseArgs({
  options: {
    campaigns: { type: 'string', default: '100000' },
    recipients: { type: 'string', default: '300000' },
    rounds: { type: 'string', default: '7' }
  }
})
const campaigns = Number(values.campaigns)
const recipients = Number(values.recipients)
const rounds = Number(values.rounds)

// Nothing is folded or removed meanwhile.
const SETTINGS = { CHAPPE_ADMIN_API_KEY: API_KEY, CHAPPE_ROLES: 'api', CHAPPE_RETENTION_DAYS: '3650' }

await withChappe(SETTINGS, async ({ url, folder, pid }) => {
  const pool = await connectAsSuperuser(folder)
  await pool`set statement_timeout = 0`
  const accountId = (await pool<[{ id: number }]>`select id from accounts where is_operator`)[0].id
  await fill(pool, accountId)
  const large = await fillLarge(pool, accountId)

  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const year = `from=${day(364)}&to=${day(0)}`
  const list = (sort: string, rest = '') => `/stats/messages?${year}&limit=25&sort=${sort}${rest}`
  await measure('the year, its hours and groups', `/stats/period?${year}`)
  await measure('the year by days', `/stats/daily?${year}`)
  for (const sort of ['due', 'delivered', 'click_rate', 'opt_out_rate']) await measure(`sorted by ${sort}`, list(sort))
  await measure('sorted by click_rate, one channel', list('click_rate', '&channel=rcs'))
  await measure('the last page', list('due', `&page=${Math.ceil(campaigns / 25)}`))
  const ofLarge = `/messages/${large}/results`
  await measure(`a message to ${recipients}, counted by the request`, ofLarge)
  await pool`update message_figures set count_at = now() where message_id = ${large}`
  const { seconds } = await timed(() => countGroups(pool))
  say(`the worker counted it in ${(seconds * 1000).toFixed(0)} ms`)
  await measure(`a message to ${recipients}, counted before`, ofLarge)
  await pool.close(5)
  say(MACHINE)

  async function measure(name: string, path: string): Promise<void> {
    await ask(url, path)
    const cpu = async () => (await cpuSecondsOf(pid)) + (await cpuSecondsOfDatabase(folder))
    const before = await cpu()
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push((await timed(() => ask(url, path))).seconds * 1000)
    const cpuMs = ((await cpu()) - before) * 1000
    const median = times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
    say(`${name}: median ${median.toFixed(0)} ms of ${rounds}, ${(cpuMs / rounds).toFixed(0)} ms of CPU (aim: 300 ms)`)
  }
})

/** Rows as sends, deliveries and folding leave them, written directly: this bench measures what reads them. */
async function fill(pool: Pool, accountId: number): Promise<void> {
  const { seconds } = await timed(async () => {
    await pool.unsafe(
      `
        insert into messages (account_id, id, channel, category, state, content, sender, scheduled_at, recipients_count,
          segments_count, credits_required, delivered_count, failed_count, taken_count, clicked_count, replied_count,
          opted_out_count, shorturl_mode, shorturl_url, is_folded, name)
        select case when n % 2 = 0 then $1::bigint else 1000 + n % 50 end, nextval('message_ids'),
          case when n % 5 = 0 then 'rcs' else 'sms' end, 'marketing', 'sent',
          'Soldes ' || n || repeat(' une phrase de plus', 7), 'CHAPPE',
          now() - interval '360 days' + n * interval '1 second' * (359.0 * 86400 / (2 * $2::integer)), 1000, 1000, 1000, 950,
          50, 1000, (random() * 200)::integer, (random() * 20)::integer, (random() * 9)::integer,
          case when n % 3 <> 0 then 'unique' end, case when n % 3 <> 0 then 'https://shop.example/' || n % 500 end, true,
          'Campagne ' || n
        from generate_series(1, 2 * $2::integer) as n
        order by n
      `,
      [accountId, campaigns]
    )
    await pool`
      insert into message_figures (account_id, message_id, scheduled_at, channel, has_link, recipients, sent, delivered,
        clicked, replied, opted_out, count_at)
      select account_id, id, scheduled_at, channel, shorturl_mode is not null, recipients_count, taken_count, delivered_count,
        clicked_count, replied_count, opted_out_count, null
      from messages
      order by scheduled_at
    `
    await pool`
      insert into figures (account_id, quarter_at, channel, sent, delivered, read, failed, stopped, clicked, replied, credits,
        opted_out, delivered_with_link)
      select account_id, date_bin('15 minutes', scheduled_at, '2000-01-01 00:00Z') as quarter_at, channel, sum(taken_count),
        sum(delivered_count), 0, sum(failed_count), 0, sum(clicked_count), sum(replied_count), sum(credits_required),
        sum(opted_out_count), sum(case when shorturl_mode is null then 0 else delivered_count end)
      from messages
      group by account_id, quarter_at, channel
    `
    // Each message went to three countries through two carriers, with four errors.
    await pool`
      insert into group_figures (account_id, span, begins_at, channel, by, value, recipients, sent, delivered, failed, clicked)
      select account_id, span, date_bin(width, scheduled_at, '2000-01-01 00:00Z') as begins_at, channel, by,
        coalesce(value, shorturl_url) as value, sum(recipients_count), sum(taken_count), sum(delivered_count),
        sum(failed_count), sum(clicked_count)
      from messages
      cross join (values ('day', interval '1 day'), ('quarter', interval '15 minutes')) as spans (span, width)
      cross join (
        values ('country', 'FR'), ('country', 'BE'), ('country', 'CH'), ('carrier', 'main'), ('carrier', 'other'),
          ('error', '001'), ('error', '002'), ('error', 'no_receipt'), ('error', 'expired'), ('link', null)
      ) as groups (by, value)
      where coalesce(value, shorturl_url) is not null
      group by account_id, span, begins_at, channel, by, coalesce(value, shorturl_url)
    `
    await pool`insert into figure_progress select account_id, max(scheduled_at) from messages group by account_id`
    await pool`vacuum (analyze) messages, message_figures, figures, group_figures`
  })
  say(`stored ${campaigns} campaigns of a year, and as many of other accounts, in ${seconds.toFixed(0)} s`)
}

/** A campaign of two days ago that is folded, and whose recipients Chappe does not count by itself. */
async function fillLarge(pool: Pool, accountId: number): Promise<number> {
  const [{ id }] = await pool<[{ id: number }]>`
    insert into messages (account_id, id, channel, category, state, content, sender, scheduled_at, recipients_count,
      segments_count, credits_required, delivered_count, taken_count, is_folded)
    values (${accountId}, nextval('message_ids'), 'sms', 'marketing', 'sent', 'Large', 'CHAPPE', now() - interval '2 days',
      ${recipients}, ${recipients}, ${recipients}, ${recipients}, ${recipients}, true)
    returning id
  `
  await pool`
    insert into recipients (account_id, message_id, position, state, segments, credits, country, phone, sent_at,
      delivered_at, clicked_at, carrier, carrier_message_ids)
    select ${accountId}, ${id}, n, 1, 1, 1, (array['FR', 'BE', 'CH'])[1 + n % 3], '+336' || lpad(n::text, 8, '0'),
      now() - interval '47 hours', now() - interval '46 hours',
      case when n % 7 = 0 then now() - n % 40 * interval '1 hour' end, 'main', array[n::text]
    from generate_series(1, ${recipients}::integer) as n
  `
  await pool`
    insert into message_figures (account_id, message_id, scheduled_at, channel, has_link, recipients, sent, delivered,
      clicked, replied, opted_out, count_at)
    values (${accountId}, ${id}, now() - interval '2 days', 'sms', false, ${recipients}, ${recipients}, ${recipients}, 0, 0, 0,
      'infinity')
  `
  await pool`vacuum (analyze) recipients`
  return id
}
