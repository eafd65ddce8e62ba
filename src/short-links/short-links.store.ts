import { randomBytes } from 'node:crypto'
import { type CopiedRow, copyRows } from '../database/copy-rows.ts'
import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'

/** The target of a code, and the message of its clicks. */
export interface ShortLink {
  code: string
  accountId: number
  messageId: number
  /** The recipient it was made for; null for a link that all recipients of a message share. */
  position: number | null
  url: string
}

/** A new link. */
export interface NewLink extends ShortLink {
  /** The due time of its message. Retention counts from it: a message that leaves in a year needs links that work then. */
  dueAt: Date
}

/** A link that is opened. */
export interface FoundLink extends ShortLink {
  /** Of a shared link: the key of its visitor hashes. */
  visitorKey: Buffer | null
}

const COLUMNS = ['code', 'account_id', 'message_id', 'position', 'url', 'visitor_key', 'created_at']
/** Stands for null: arrays for the database hold no nulls. */
const NO_POSITION = -1

/** For a few links, of any messages. */
export async function insertShortLinks(sql: Sql, links: readonly NewLink[]): Promise<void> {
  if (links.length === 0) return
  await sql`
    insert into short_links (code, account_id, message_id, position, url, visitor_key, created_at)
    select code, account_id, message_id, nullif(position, ${NO_POSITION}), url, nullif(visitor_key, '')::bytea,
      due_at::timestamptz
    from unnest(
      ${links.map(({ code }) => code)}::text[],
      ${links.map(({ accountId }) => accountId)}::bigint[],
      ${links.map(({ messageId }) => messageId)}::bigint[],
      ${links.map(({ position }) => position ?? NO_POSITION)}::integer[],
      ${links.map(({ url }) => url)}::text[],
      ${links.map((link) => createVisitorKey(link) ?? '')}::text[],
      ${links.map(({ dueAt }) => dueAt.toISOString())}::text[]
    ) as given (code, account_id, message_id, position, url, visitor_key, due_at)
  `
}

/** For many links: COPY is faster. */
export async function copyShortLinks(sql: Sql, links: readonly NewLink[]): Promise<void> {
  if (links.length === 0) return
  const rows: CopiedRow[] = links.map((link) => [
    link.code,
    link.accountId,
    link.messageId,
    link.position,
    link.url,
    createVisitorKey(link),
    link.dueAt.toISOString()
  ])
  await copyRows(
    sql,
    { table: 'short_links', columns: COLUMNS },
    (async function* () {
      yield rows
    })()
  )
}

const VISITOR_KEY_BYTES = 16

/** A random key for a shared link, as PostgreSQL reads a bytea. */
function createVisitorKey({ position }: ShortLink): string | null {
  return position === null ? `\\x${randomBytes(VISITOR_KEY_BYTES).toString('hex')}` : null
}

/** The links of these codes. Of any account: a phone sends nothing but the code. */
export async function listLinksOfAnyAccount(
  sql: Sql,
  { codes, days }: { codes: readonly string[]; days: number }
): Promise<FoundLink[]> {
  return sql<FoundLink[]>`
    select code, account_id, message_id, position, url, visitor_key
    from short_links
    where code = any(${codes as string[]}::text[])
      and created_at > now() - make_interval(days => ${days})
  `
}

export async function deleteOldLinks(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'short_links', column: 'created_at', isIndexed: true }, retention)
}

/**
 * Removes the links in texts to an erased number: their addresses may reveal things about the person. The codes come from
 * those texts, so no other index is needed. A shared link goes if the number was the only recipient.
 */
export async function deleteLinksInTexts(
  sql: Sql,
  {
    accountId,
    messageIds,
    aloneIds,
    texts
  }: { accountId: number; messageIds: readonly number[]; aloneIds: readonly number[]; texts: readonly string[] }
): Promise<void> {
  const codes = texts.flatMap((text) => [...text.matchAll(CODE_IN_TEXT)].map(([, code = '']) => code))
  if (codes.length === 0) return
  await sql`
    delete from short_links
    where code = any(${codes}::text[])
      and account_id = ${accountId}
      and message_id = any(${messageIds as number[]}::bigint[])
      and (position is not null or message_id = any(${aloneIds as number[]}::bigint[]))
  `
}

/** Letters may follow a code: a text may go on right behind its link. */
const CODE_IN_TEXT = /\/([0-9A-Za-z]{10})/g
