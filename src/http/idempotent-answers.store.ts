import type { Sql } from '../database/database.ts'

export interface StoredAnswer {
  fingerprint: Buffer
  answer: Buffer
}

interface AnswerKey {
  accountId: number
  keyHash: Buffer
}

/** Takes the key for the rest of the transaction; false while another request with the same key still runs. */
export async function lockAnswerKey(sql: Sql, { accountId, keyHash }: AnswerKey): Promise<boolean> {
  // Negative: the ids of messages are locked by their own numbers.
  const lock = BigInt.asIntN(64, (keyHash.readBigInt64BE() ^ BigInt(accountId)) | (1n << 63n))
  const [row] = await sql<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(${String(lock)}::bigint) as locked
  `
  return row?.locked ?? false
}

export async function findAnswer(sql: Sql, { accountId, keyHash }: AnswerKey): Promise<StoredAnswer | undefined> {
  const [row] = await sql<StoredAnswer[]>`
    select fingerprint, answer
    from idempotent_answers
    where account_id = ${accountId}
      and key_hash = ${keyHash}
      and created_at > now() - interval '24 hours'
  `
  return row
}

/** Replaces an answer that is older than a day and was not removed yet. */
export async function insertAnswer(sql: Sql, answer: AnswerKey & StoredAnswer): Promise<void> {
  await sql`
    insert into idempotent_answers (account_id, key_hash, fingerprint, answer)
    values (${answer.accountId}, ${answer.keyHash}, ${answer.fingerprint}, ${answer.answer})
    on conflict (account_id, key_hash) do update
    set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = now()
  `
}

/** Removes up to `limit` expired answers, of all accounts. */
export async function deleteExpiredAnswers(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    with expired as materialized (
      select account_id, key_hash
      from idempotent_answers
      where created_at < now() - interval '24 hours'
      order by created_at
      limit ${limit}
    )
    delete from idempotent_answers
    using expired
    where idempotent_answers.account_id = expired.account_id
      and idempotent_answers.key_hash = expired.key_hash
  `
  return count
}
