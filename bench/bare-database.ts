import type { Pool } from '../src/database/database.ts'
import { phoneNumber, timed } from './child.ts'
import { connectAsSuperuser } from './statements.ts'

/*
 * The least that a durable gateway writes for single messages, some of them in a transaction: accept (message, recipient),
 * settle (submission, update) and receipt (update), each with a commit. In tables like Chappe's own, on one connection.
 */

const TABLES = ['messages', 'recipients', 'submissions']

export async function measureBareDatabase(
  folder: string,
  count: number,
  { together }: { together: number }
): Promise<{ perSecond: number }> {
  const pool = await connectAsSuperuser(folder)
  for (const table of TABLES) await pool.unsafe(`create table bench_${table} (like ${table} including all)`)
  const { seconds } = await timed(async () => {
    for (let first = 0; first < count; first += together) {
      await writeGroup(pool, first, Math.min(together, count - first))
    }
  })
  for (const table of TABLES) await pool.unsafe(`drop table bench_${table}`)
  await pool.close(5)
  return { perSecond: count / seconds }
}

async function writeGroup(pool: Pool, first: number, size: number): Promise<void> {
  const ids = Array.from({ length: size }, (_, index) => first + index + 1)
  const phones = ids.map(phoneNumber)
  await pool.begin(async (sql) => {
    await sql`
      insert into bench_messages (
        account_id, id, channel, category, state, content, sender, scheduled_at, recipients_count, segments_count,
        credits_required, waiting_count
      )
      select 1, id, 'sms', 'transactional', 'sending', 'Bonjour, votre commande est prête.', 'BENCH', now(), 1, 1, 1, 1
      from unnest(${ids}::bigint[]) as given (id)
    `
    await sql`
      insert into bench_recipients (account_id, message_id, position, segments, credits, country, phone)
      select 1, id, 1, 1, 1, 'FR', phone
      from unnest(${ids}::bigint[], ${phones}::text[]) as given (id, phone)
    `
  })
  await pool.begin(async (sql) => {
    await sql`
      insert into bench_submissions (account_id, message_id, position, carrier, carrier_message_id, part, parts)
      select 1, id, 1, 'main', id::text, 1, 1
      from unnest(${ids}::bigint[]) as given (id)
    `
    await sql`
      update bench_recipients
      set state = 2, sent_at = now(), carrier = 'main'
      where account_id = 1
        and message_id = any(${ids}::bigint[])
    `
  })
  await pool`
    update bench_recipients
    set state = 3, delivered_at = now()
    where account_id = 1
      and message_id = any(${ids}::bigint[])
  `
}
