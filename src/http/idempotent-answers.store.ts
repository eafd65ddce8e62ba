import type { Sql } from '../database/database.ts'
import type { Part } from '../database/sql.ts'

export interface StoredAnswer {
  fingerprint: Buffer
  answer: Buffer
}

export interface AnswerKey {
  accountId: number
  keyHash: Buffer
}

/**
 * Takes each key for the rest of the transaction, in one statement that waits for nobody. False for a key while another
 * transaction with the same key still runs.
 */
export async function lockAnswerKeys(sql: Sql, keys: readonly AnswerKey[]): Promise<boolean[]> {
  // Executed now: a statement that reads answers may follow in the same turn, and must come after this one.
  const rows = await sql<{ isLocked: boolean }[]>`
    select pg_try_advisory_xact_lock(number) as is_locked
    from unnest(${keys.map(toLock)}::bigint[]) with ordinality as given (number, position)
    order by position
  `.execute()
  return rows.map(({ isLocked }) => isLocked)
}

/** Negative: the ids of messages are locked by their own numbers. */
function toLock({ accountId, keyHash }: AnswerKey): string {
  return String(BigInt.asIntN(64, (keyHash.readBigInt64BE() ^ BigInt(accountId)) | (1n << 63n)))
}

export async function findAnswer(sql: Sql, key: AnswerKey): Promise<StoredAnswer | undefined> {
  const [row] = await sql<StoredAnswer[]>`
    select fingerprint, answer
    from idempotent_answers
    where account_id = ${key.accountId}
      and key_hash = ${key.keyHash}
      and created_at > now() - interval '24 hours'
  `
  return row
}

/**
 * The keys that have an answer. The age is compared in a form that no index serves: in a new table, a plan by
 * age would look cheaper than one by key, and read the answers of a whole day.
 */
export async function listUsedKeys(sql: Sql, keys: readonly AnswerKey[]): Promise<AnswerKey[]> {
  return sql<AnswerKey[]>`
    select given.account_id, given.key_hash
    from unnest(
      ${keys.map(({ accountId }) => accountId)}::bigint[],
      ${keys.map(({ keyHash }) => keyHash)}::bytea[]
    ) as given (account_id, key_hash)
    join idempotent_answers on idempotent_answers.account_id = any(array[given.account_id])
      and idempotent_answers.key_hash = given.key_hash
    where created_at + interval '24 hours' > now()
  `
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

/**
 * Stores the answers of one transaction. Each of them has a difference between the balance that it tells and the balance
 * that was written. Any but 0 is stored behind the fingerprint, in 8 bytes.
 */
export async function insertAnswers(
  sql: Sql,
  answers: readonly (AnswerKey & StoredAnswer)[],
  /** A query for the differences: `position` from 1, in the order of the answers, and `difference`. */
  differences: Part
): Promise<void> {
  await sql`
    insert into idempotent_answers (account_id, key_hash, fingerprint, answer)
    select account_id, key_hash,
      fingerprint || case differences[position] when 0 then '' else int8send(differences[position]) end, answer
    from unnest(
      ${answers.map(({ accountId }) => accountId)}::bigint[],
      ${answers.map(({ keyHash }) => keyHash)}::bytea[],
      ${answers.map(({ fingerprint }) => fingerprint)}::bytea[],
      ${answers.map(({ answer }) => answer)}::bytea[]
    ) with ordinality as given (account_id, key_hash, fingerprint, answer, position)
    cross join (
      select array_agg(difference order by position) as differences
      from (${differences}) as balance
    ) as balances
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
    where idempotent_answers.account_id = any(array[expired.account_id])
      and idempotent_answers.key_hash = expired.key_hash
  `
  return count
}
