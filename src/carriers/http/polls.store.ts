import type { Sql } from '../../database/database.ts'
import type { NewsKind } from './http-settings.ts'

interface PollKey {
  carrier: string
  news: NewsKind
}

export interface ClaimedPoll {
  cursor: string
  token: number
}

/** Claims a due poll for a time. Of all processes, one polls. */
export async function claimPoll(
  sql: Sql,
  { carrier, news, first, leaseSeconds }: PollKey & { first: string; leaseSeconds: number }
): Promise<ClaimedPoll | undefined> {
  await sql`
    insert into carrier_polls (carrier, news, cursor)
    values (${carrier}, ${news}, ${first})
    on conflict do nothing
  `
  const [row] = await sql<ClaimedPoll[]>`
    update carrier_polls
    set next_at = now() + make_interval(secs => ${leaseSeconds}), token = token + 1
    where carrier = ${carrier}
      and news = ${news}
      and next_at <= now()
    returning cursor, token
  `
  return row
}

/** Moves the cursor once everything before it is stored. False when another process has polled since. */
export async function finishPoll(
  sql: Sql,
  { carrier, news, cursor, token, seconds }: PollKey & ClaimedPoll & { seconds: number }
): Promise<boolean> {
  const { count } = await sql`
    update carrier_polls
    set cursor = ${cursor}, next_at = now() + make_interval(secs => ${seconds})
    where carrier = ${carrier}
      and news = ${news}
      and token = ${token}
  `
  return count === 1
}
