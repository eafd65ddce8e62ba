import type { Pool } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import { Refusal } from '../errors.ts'
import { isCode } from '../short-links/codes.ts'
import { type FoundLink, listLinksOfAnyAccount } from '../short-links/short-links.store.ts'

/** Links that are opened at the same moment share one look-up, on connections of their own. */
const GROUP_LIMITS = { sizeMax: 500, runningMax: 2, spacingMs: 2 }
/** Requests that wait for a look-up. More would only be answered late. */
const WAITING_MAX = 10_000
const LOOK_UP_MAX_MS = 5_000
/** Shared links are remembered: they are opened often, other links once. Not for long, since a link may be removed. */
const SHARED_FRESH_MS = 5_000
const SHARED_MAX = 1_000

/** Looked up in place of a text that cannot be a code, which then takes as long as an unknown code. */
const NO_CODE = '-'

export type FindLink = (code: string) => FoundLink | Promise<FoundLink | undefined>

export function createFindLink(pool: Pool, { retentionDays }: { retentionDays: number }): FindLink {
  const shared = new Map<string, { link: FoundLink; freshUntil: number }>()
  let waiting = 0

  const find = groupCalls<string, FoundLink | undefined>(async (codes) => {
    const links = await withinTime(listLinksOfAnyAccount(pool, { codes: [...new Set(codes)], days: retentionDays }))
    const byCode = new Map(links.map((link) => [link.code, link]))
    for (const link of links) if (link.position === null) remember(link)
    return codes.map((code) => byCode.get(code))
  }, GROUP_LIMITS)

  function remember(link: FoundLink): void {
    shared.delete(link.code)
    shared.set(link.code, { link, freshUntil: Date.now() + SHARED_FRESH_MS })
    if (shared.size <= SHARED_MAX) return
    const [oldest = link.code] = shared.keys()
    shared.delete(oldest)
  }

  return (code) => {
    const known = shared.get(code)
    if (known && known.freshUntil > Date.now()) return known.link
    if (waiting >= WAITING_MAX) return Promise.reject(unavailable())
    waiting++
    return find(isCode(code) ? code : NO_CODE).finally(() => {
      waiting--
    })
  }
}

/** A database that lost its network does not answer; people would wait for their page. */
async function withinTime<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(unavailable()), LOOK_UP_MAX_MS)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function unavailable(): Refusal {
  return new Refusal(503, 'unavailable', 'Links can’t be looked up right now; ask again.', { retryAfterSeconds: 1 })
}
