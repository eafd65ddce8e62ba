import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { Looked, MediaType } from './look-at-picture.ts'
import type { Picture } from './picture.ts'

interface PictureKey {
  accountId: number
  id: number
}

export interface NewPicture extends Looked {
  accountId: number
  code: string
  sha256: Buffer
  content: Buffer
}

const columns = (sql: Sql) => sql`id, code, media_type, width, height, bytes, created_at`

export async function insertPicture(
  sql: Sql,
  { accountId, code, mediaType, width, height, sha256, content }: NewPicture
): Promise<Picture> {
  const [row] = await sql<[Picture]>`
    insert into pictures (account_id, id, code, media_type, width, height, bytes, sha256, content)
    values (
      ${accountId}, nextval('picture_ids'), ${code}, ${mediaType}, ${width}, ${height}, ${content.length}, ${sha256},
      ${content}
    )
    returning ${columns(sql)}
  `
  return row
}

/** The picture with the same content, which is kept as long as a new one. */
export async function renewPicture(
  sql: Sql,
  { accountId, sha256 }: Pick<NewPicture, 'accountId' | 'sha256'>
): Promise<Picture | undefined> {
  const [row] = await sql<Picture[]>`
    update pictures
    set used_at = now()
    where account_id = ${accountId}
      and sha256 = ${sha256}
    returning ${columns(sql)}
  `
  return row
}

export async function countPictures(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from pictures
    where account_id = ${accountId}
  `
  return row.count
}

/** Newest first. */
export async function listPicturesOfPage(sql: Sql, accountId: number, window: PageWindow): Promise<Picture[]> {
  const rows = await sql<Picture[]>`
    select ${columns(sql)}
    from pictures
    where account_id = ${accountId}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

export interface ServedPicture {
  mediaType: MediaType
  sha256: Buffer
  content: Buffer
}

/** By its code alone: whoever asks need not know the account. That it was asked for is noted once a day. */
export async function fetchPictureOfAnyAccount(sql: Sql, code: string): Promise<ServedPicture | undefined> {
  const [row] = await sql<(ServedPicture & PictureKey & { isNoted: boolean })[]>`
    select account_id, id, media_type, sha256, content, used_at > now() - interval '1 day' as is_noted
    from pictures
    where code = ${code}
  `
  if (row && !row.isNoted) {
    await sql`
      update pictures
      set used_at = now()
      where account_id = ${row.accountId}
        and id = ${row.id}
    `
  }
  return row
}

export async function deletePicture(sql: Sql, { accountId, id }: PictureKey): Promise<boolean> {
  const { count } = await sql`
    delete from pictures
    where account_id = ${accountId}
      and id = ${id}
  `
  return count > 0
}

export async function deletePicturesOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  await sql`
    delete from pictures
    where account_id = any(${accountIds as number[]}::bigint[])
  `
}

/** Pictures that nobody asked for during the retention. */
export function deleteOldPictures(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'pictures', column: 'used_at', isIndexed: true }, retention)
}
