import Type, { type Static, type TSchema } from 'typebox'

/** `page` and `limit` of every paginated operation. */
export const PageQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'The page, from 1.' }),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 10, description: 'How many items a page has.' })
})

export type Page = Static<typeof PageQuery>

const PaginationMeta = Type.Object(
  {
    itemCount: Type.Integer({ description: 'Items in this page.' }),
    totalItems: Type.Integer(),
    itemsPerPage: Type.Integer(),
    totalPages: Type.Integer(),
    currentPage: Type.Integer()
  },
  { $id: 'paginationMeta' }
)

export function Paginated<S extends TSchema>(item: S, name: string) {
  return Type.Object({ items: Type.Array(item), meta: PaginationMeta }, { $id: name })
}

export function toPage<T>(items: T[], { page, limit, totalItems }: Page & { totalItems: number }) {
  return {
    items,
    meta: {
      itemCount: items.length,
      totalItems,
      itemsPerPage: limit,
      totalPages: Math.ceil(totalItems / limit),
      currentPage: page
    }
  }
}

/** The rows of a page, counted from the nearer end of the list: so the last page costs as little as the first. */
export interface PageWindow {
  isFromEnd: boolean
  offset: number
  limit: number
}

export function pageWindow({ page, limit, totalItems }: Page & { totalItems: number }): PageWindow {
  const offset = (page - 1) * limit
  const size = Math.max(0, Math.min(limit, totalItems - offset))
  const offsetFromEnd = Math.max(0, totalItems - offset - size)
  if (offsetFromEnd < offset) return { isFromEnd: true, offset: offsetFromEnd, limit: size }
  return { isFromEnd: false, offset, limit: size }
}

/** The rows of a window, newest first whichever end they were read from. */
export function newestFirst<T>(rows: readonly T[], { isFromEnd }: PageWindow): T[] {
  return isFromEnd ? rows.toReversed() : [...rows]
}
