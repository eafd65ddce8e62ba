import { type CopiedRow, copyRows } from '../database/copy-rows.ts'
import { liftStatementTimeout, type Sql } from '../database/database.ts'
import { hashOf, insertErasureKey } from '../erased-numbers/erasure-keys.store.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import { isoTime, madeEvents, queueMade } from '../webhooks/events.store.ts'
import type { Consent, ConsentChannel, NewConsent } from './consent.ts'

interface PhoneKey {
  accountId: number
  phone: string
}

/** Stores consents, and tells webhooks. A consent that holds already, for the same purpose and channel, stays as it is. */
export async function insertConsents(
  sql: Sql,
  { accountId, consents }: { accountId: number; consents: readonly NewConsent[] }
): Promise<number> {
  if (consents.length === 0) return 0
  return insertSelected(
    sql,
    accountId,
    sql`
      select phone, purpose, channel, source, given_at::timestamptz as given_at, wording, proof
      from unnest(
        ${consents.map(({ phone }) => phone)}::text[],
        ${consents.map(({ purpose }) => purpose)}::text[],
        ${consents.map(({ channel }) => channel)}::text[],
        ${consents.map(({ source }) => source)}::text[],
        ${consents.map(({ givenAt }) => givenAt.toISOString())}::text[],
        ${consents.map(({ wording }) => wording)}::text[],
        ${consents.map(({ proof }) => proof)}::text[]
      ) with ordinality as given (phone, purpose, channel, source, given_at, wording, proof, line)
    `
  )
}

const COPIED = ['line', 'phone', 'purpose', 'channel', 'source', 'given_at', 'wording', 'proof']

/** Stores the consents of a file. Returns the number of rows, and of new consents. */
export async function insertImportedConsents(
  sql: Sql,
  { accountId, batches }: { accountId: number; batches: AsyncIterable<CopiedRow[]> }
): Promise<{ rows: number; added: number }> {
  await liftStatementTimeout(sql)
  await sql`
    create temporary table imported_consents (
      line bigint not null, phone text not null, purpose text not null, channel text not null, source text not null,
      given_at timestamptz not null, wording text not null, proof text not null
    ) on commit drop
  `
  await copyRows(sql, { table: 'imported_consents', columns: COPIED }, batches)
  const added = await insertSelected(
    sql,
    accountId,
    sql`
      select distinct on (phone, purpose, channel) phone, purpose, channel, source, given_at, wording, proof
      from imported_consents
      order by phone, purpose, channel, line
    `
  )
  const [row] = await sql<[{ rows: number }]>`
    select count(*) as rows
    from imported_consents
  `
  return { rows: row.rows, added }
}

/** In the order of the numbers, so that two at once cannot deadlock. */
async function insertSelected(sql: Sql, accountId: number, selected: ReturnType<Sql>): Promise<number> {
  const [row] = await sql<[{ added: number }]>`
    with added as (
      insert into consents (account_id, id, phone, purpose, channel, source, given_at, wording, proof)
      select ${accountId}, nextval('consent_ids'), phone, purpose, channel, source, given_at, wording, proof
      from (${selected}) as given
      order by phone, purpose, channel
      on conflict (account_id, phone, purpose, channel) where withdrawn_at is null do nothing
      returning *
    ),
    made as (${consentEvents(sql, accountId, 'added')}),
    queued as (${queueMade(sql)})
    select count(*) as added
    from added
  `
  return row.added
}

/** The part of a statement that tells webhooks of consents in its part of the name given. */
function consentEvents(sql: Sql, accountId: number, part: 'added' | 'withdrawn') {
  return madeEvents(
    sql,
    sql`
      select account_id, nextval('event_ids'), 'consents', jsonb_build_object(
        'message_id', null, 'id', id, 'recipient', phone, 'purpose', purpose, 'channel', channel, 'source', source,
        'given_at', ${isoTime(sql, sql`given_at`)}, 'wording', wording, 'proof', proof,
        'withdrawn_at', ${isoTime(sql, sql`withdrawn_at`)}, 'withdrawal', withdrawal,
        'created_at', ${isoTime(sql, sql`created_at`)}
      )
      from ${sql(part)}
      where exists (select from event_subscriptions where account_id = ${accountId} and type = 'consents')
    `
  )
}

/** Withdraws what holds of these numbers, for a reason, and tells webhooks. Returns how many consents that were. */
export async function withdrawConsents(
  sql: Sql,
  {
    accountId,
    phones,
    reason,
    only
  }: {
    accountId: number
    /** Numbers, or a query that selects them. */
    phones: readonly string[] | ReturnType<Sql>
    reason: string
    /** Only this consent, or only this purpose. */
    only?: { id?: number; purpose?: string | undefined }
  }
): Promise<number> {
  const isAmong = Array.isArray(phones)
    ? sql`phone = any(${phones as string[]}::text[])`
    : sql`phone in (${phones as ReturnType<Sql>})`
  const [row] = await sql<[{ count: number }]>`
    with withdrawn as (
      update consents
      set withdrawn_at = now(), withdrawal = ${reason}
      where account_id = ${accountId}
        and ${isAmong}
        and withdrawn_at is null
        ${only?.id === undefined ? sql`` : sql`and id = ${only.id}`}
        ${only?.purpose === undefined ? sql`` : sql`and purpose = ${only.purpose}`}
      returning *
    ),
    made as (${consentEvents(sql, accountId, 'withdrawn')}),
    queued as (${queueMade(sql)})
    select count(*) as count
    from withdrawn
  `
  return row.count
}

/** A STOP withdraws every consent of the phone. */
export async function withdrawByStop(
  sql: Sql,
  { accountId, phones }: { accountId: number; phones: readonly string[] | ReturnType<Sql> }
): Promise<void> {
  await withdrawConsents(sql, { accountId, phones, reason: WITHDRAWN_BY_STOP })
}

const WITHDRAWN_BY_STOP = 'stop'

/**
 * A START stores the consents that the STOP of the same person withdrew as new records, each with the reply as its proof.
 * Called after the STOP was deleted, with its time.
 */
export async function renewConsents(
  sql: Sql,
  { accountId, phone, since, proof }: PhoneKey & { since: Date; proof: string }
): Promise<number> {
  return insertSelected(
    sql,
    accountId,
    sql`
      select distinct on (purpose, channel)
        phone, purpose, channel, 'keyword' as source, now() as given_at, wording, ${proof} as proof
      from consents
      where account_id = ${accountId}
        and phone = ${phone}
        and withdrawal = ${WITHDRAWN_BY_STOP}
        and withdrawn_at >= ${since}::timestamptz
      order by purpose, channel, id desc
    `
  )
}

/** Which of these numbers have a consent that holds: one statement, by index, for any number of them. */
export async function listConsented(
  sql: Sql,
  {
    accountId,
    phones,
    purpose,
    channels
  }: { accountId: number; phones: readonly string[]; purpose: string; channels: readonly ConsentChannel[] }
): Promise<Set<string>> {
  const rows = await sql<{ phone: string }[]>`
    select phone
    from consents
    where account_id = ${accountId}
      and phone = any(${phones as string[]}::text[])
      and purpose = ${purpose}
      and withdrawn_at is null
    group by phone
    having bool_or(channel = 'all')
      or array_agg(channel) @> ${channels as string[]}::text[]
  `
  return new Set(rows.map(({ phone }) => phone))
}

export interface ConsentScope {
  accountId: number
  /** Looked for anywhere in the number. */
  digits: string | undefined
  /** Only those that hold, or only those that were withdrawn. */
  state: 'held' | 'withdrawn' | undefined
}

export async function countConsents(sql: Sql, scope: ConsentScope): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from consents
    where ${isInScope(sql, scope)}
  `
  return row.count
}

/** Newest first. A page nearer to the end is read from there and turned round. */
export async function listConsentsOfPage(sql: Sql, scope: ConsentScope, window: PageWindow): Promise<Consent[]> {
  const rows = await sql<Consent[]>`
    select ${consentColumns(sql)}
    from consents
    where ${isInScope(sql, scope)}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

/** The next consents of a full extract, newest first, after the one whose id is given. */
export async function listConsentsBefore(
  sql: Sql,
  { accountId, beforeId, limit }: { accountId: number; beforeId: number; limit: number }
): Promise<Consent[]> {
  return sql<Consent[]>`
    select ${consentColumns(sql)}
    from consents
    where account_id = ${accountId}
      and id < ${beforeId}
    order by id desc
    limit ${limit}
  `
}

/** All consents of a number, newest first, also those whose number was erased. */
export async function listConsentsByPhone(sql: Sql, { accountId, phone }: PhoneKey): Promise<Consent[]> {
  return sql<Consent[]>`
    select ${consentColumns(sql)}
    from consents
    where account_id = ${accountId}
      and (
        phone = ${phone}
        or phone_hash = (
          select ${hashOf(sql, sql`${phone}::text`)}
          from erasure_keys
          where account_id = ${accountId}
        )
      )
    order by id desc
  `
}

/**
 * Takes a number out of its consents, which stay as proof that messages to it were allowed: a hash, the dates, the wording.
 * The proof itself may tell who the person is, and goes.
 */
export async function eraseConsents(sql: Sql, { accountId, phone }: PhoneKey): Promise<number> {
  const withdrawn = await withdrawConsents(sql, { accountId, phones: [phone], reason: 'erased' })
  const isAny = withdrawn > 0 || (await listConsentsByPhone(sql, { accountId, phone })).length > 0
  if (!isAny) return 0
  await insertErasureKey(sql, accountId)
  const { count } = await sql`
    update consents
    set phone = null, phone_hash = ${hashOf(sql, sql`${phone}::text`)}, proof = ''
    from erasure_keys
    where erasure_keys.account_id = ${accountId}
      and consents.account_id = ${accountId}
      and phone = ${phone}
  `
  return count
}

function isInScope(sql: Sql, { accountId, digits, state }: ConsentScope) {
  return sql`
    account_id = ${accountId}
    ${digits === undefined ? sql`` : sql`and strpos(phone, ${digits}) > 0`}
    ${state === undefined ? sql`` : sql`and (withdrawn_at is null) = ${state === 'held'}`}
  `
}

function consentColumns(sql: Sql) {
  return sql`
    id, phone, purpose, channel, source, given_at, wording, proof, withdrawn_at, withdrawal, created_at
  `
}
