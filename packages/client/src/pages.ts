import type { Routes } from './api-types.ts'
import type { CallOptions, Client, Input, Route } from './client.ts'

/** Operations that answer page by page. */
export type PagedRoute = {
  [R in Route]: Routes[R]['answer'] extends { items: unknown[]; meta: { totalPages: number } } ? R : never
}[Route]

export type Item<R extends PagedRoute> = Routes[R]['answer'] extends { items: (infer I)[] } ? I : never

const PAGE_SIZE = 500

/** Every item of a list, page by page as they are wanted. `query.limit` is the size of a page. */
export async function* pages<R extends PagedRoute>(
  client: Client,
  route: R,
  input: Input<R>,
  options?: CallOptions
): AsyncGenerator<Item<R>, void, undefined> {
  const { query, ...rest } = input as { query?: { limit?: number; page?: number } }
  const limit = query?.limit ?? PAGE_SIZE
  for (let page = query?.page ?? 1; ; page++) {
    const asked = { ...rest, query: { ...query, limit, page } } as Input<'GET /messages'>
    // The compiler can't see that all these routes answer alike.
    const answer: unknown = await client.call(route as 'GET /messages', asked, options)
    const { items, meta } = answer as { items: Item<R>[]; meta: { totalPages: number } }
    yield* items
    if (page >= meta.totalPages) return
  }
}
