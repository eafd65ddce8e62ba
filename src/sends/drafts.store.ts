import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import type { Draft, DraftFields, DraftLine } from './draft.ts'

interface DraftKey {
  accountId: number
  id: number
}

type Written = Pick<Draft, 'name' | 'channel' | 'fields'>

export async function insertDraft(
  sql: Sql,
  { accountId, name, channel, fields }: { accountId: number } & Written
): Promise<Draft> {
  const [row] = await sql<[Draft]>`
    insert into drafts (account_id, id, name, channel, fields)
    values (${accountId}, nextval('draft_ids'), ${name}, ${channel}, ${sql.json(fields)})
    returning id, name, channel, version, created_at, updated_at, fields
  `
  return row
}

export async function countDrafts(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<[{ total: number }]>`
    select count(*) as total
    from drafts
    where account_id = ${accountId}
  `
  return row.total
}

/** The last changed first. An account has few drafts: they are sorted when they are asked for. */
export async function listDraftsOfPage(
  sql: Sql,
  accountId: number,
  { offset, limit }: { offset: number; limit: number }
): Promise<DraftLine[]> {
  return sql<DraftLine[]>`
    select id, name, channel, version, created_at, updated_at,
      left(
        coalesce(
          fields ->> 'content',
          fields #>> '{data,text}',
          fields #>> '{data,title}',
          fields #>> '{data,cards,0,title}'
        ),
        160
      ) as preview
    from drafts
    where account_id = ${accountId}
    order by updated_at desc, id desc
    offset ${offset}
    limit ${limit}
  `
}

export async function findDraft(sql: Sql, { accountId, id }: DraftKey): Promise<Draft | undefined> {
  const [row] = await sql<Draft[]>`
    select id, name, channel, version, created_at, updated_at, fields
    from drafts
    where account_id = ${accountId}
      and id = ${id}
  `
  return row
}

/** Changes this version of a draft; undefined if it has another one by now, or is gone. */
export async function updateDraft(
  sql: Sql,
  { accountId, id, version, name, channel, fields }: DraftKey & Written & { version: number }
): Promise<Draft | undefined> {
  const [row] = await sql<Draft[]>`
    update drafts
    set name = ${name},
        channel = ${channel},
        fields = ${sql.json(fields)},
        version = version + 1,
        updated_at = now()
    where account_id = ${accountId}
      and id = ${id}
      and version = ${version}
    returning id, name, channel, version, created_at, updated_at, fields
  `
  return row
}

/** Of two that delete one draft at once, the second waits, and finds none. */
export async function deleteDraft(sql: Sql, { accountId, id }: DraftKey): Promise<boolean> {
  const deleted = await sql`
    delete from drafts
    where account_id = ${accountId}
      and id = ${id}
  `
  return deleted.count > 0
}

/** The next draft of an account that has recipients of its own, by id. One at a time: each may be large. */
export async function findNextDraft(
  sql: Sql,
  { accountId, afterId, isLocked }: { accountId: number; afterId: number; isLocked: boolean }
): Promise<Draft | undefined> {
  const [row] = await sql<Draft[]>`
    select id, name, channel, version, created_at, updated_at, fields
    from drafts
    where account_id = ${accountId}
      and id > ${afterId}
      and fields ?| array['recipients', 'contacts']
    order by id
    limit 1
    ${isLocked ? sql`for update` : sql``}
  `
  return row
}

/** A window in which it is open is told at its next change, and does not bring back what was taken out. */
export async function updateDraftFields(
  sql: Sql,
  { accountId, id, fields }: DraftKey & { fields: DraftFields }
): Promise<void> {
  await sql`
    update drafts
    set fields = ${sql.json(fields)},
        version = version + 1
    where account_id = ${accountId}
      and id = ${id}
  `
}

/** Drafts that nobody has changed for so many days. */
export function deleteOldDrafts(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'drafts', column: 'updated_at', isIndexed: true }, retention)
}
