import type { PageOf } from './data-table.tsx'

/** A page of rows that are all loaded already. */
export function pageOf<T>(rows: T[], { page, limit }: { page: number; limit: number }): PageOf<T> {
  const items = rows.slice((page - 1) * limit, page * limit)
  return {
    items,
    meta: {
      itemCount: items.length,
      totalItems: rows.length,
      itemsPerPage: limit,
      totalPages: Math.ceil(rows.length / limit),
      currentPage: page
    }
  }
}
