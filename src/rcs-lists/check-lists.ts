import { randomUUID } from 'node:crypto'
import { listParents } from '../accounts/accounts.store.ts'
import type { Carrier } from '../carriers/carrier.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import {
  type ClaimedList,
  claimList,
  extendClaim,
  listPhonesAfter,
  updateChecked,
  updateToRetry
} from '../contacts/list-claims.store.ts'
import { isDatabaseUnavailable, type Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { whileExtending } from '../workers/while-extending.ts'

/*
 * Checks in the background which phones of contact lists can do RCS, so that it is known before a send. Lists take turns: a list of
 * a million does not hold up the others. The carrier stores the capability of a phone. The list stores the progress of its check, so
 * that another process can go on with it.
 */

/** As many as the platform accepts in one request. */
const CHUNK = 10_000
const LEASE_SECONDS = 10
const RETRY_SECONDS = 30
const RETRY_SECONDS_MAX = 3_600

export interface ListChecking {
  pool: Pool
  routing: Pick<RoutingTable, 'forMessage' | 'hasAccountRoutes' | 'routes' | 'carriersOf' | 'find'>
  /** A carrier of this process that is up. */
  findCarrier(name: string): Pick<Carrier, 'findCapable'> | undefined
  log: Log
}

/** Asks about some phones of one list. Without a route for RCS there is nothing to do. */
export async function checkLists(parts: ListChecking): Promise<{ isMoreDue: boolean }> {
  const { pool, routing, log } = parts
  if (!routing.routes.some(({ channel }) => channel === 'rcs')) return { isMoreDue: false }
  const list = await claimList(pool, { token: randomUUID(), leaseSeconds: LEASE_SECONDS })
  if (!list) return { isMoreDue: false }
  try {
    await whileExtending(
      () => extendClaim(pool, list, LEASE_SECONDS),
      () => checkSome(parts, list)
    )
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    const delaySeconds = Math.min(RETRY_SECONDS * 2 ** list.tries, RETRY_SECONDS_MAX)
    log.warn(
      { list: list.listId, err: error, delay_seconds: delaySeconds },
      'RCS capability check of a contact list failed; it is tried again'
    )
    await updateToRetry(pool, list, { delaySeconds })
  }
  return { isMoreDue: true }
}

async function checkSome(parts: ListChecking, list: ClaimedList): Promise<void> {
  const contacts = await listPhonesAfter(parts.pool, list, CHUNK)
  const routes = await routesOf(parts, list)
  const byRoute = Map.groupBy(contacts, ({ phone }) => routes.routeOf('rcs', phone))
  for (const [route, onRoute] of byRoute) {
    // A number without a route cannot do RCS.
    if (route === undefined) continue
    await findCapable(
      parts,
      route,
      onRoute.map(({ phone }) => phone)
    )
  }
  await updateChecked(parts.pool, list, {
    checkedTo: contacts.at(-1)?.id ?? list.checkedTo,
    isWhole: contacts.length < CHUNK
  })
}

/** Contact lists are for campaigns: the routes of marketing are asked. */
async function routesOf({ pool, routing }: ListChecking, { accountId }: ClaimedList) {
  const parents = routing.hasAccountRoutes ? await listParents(pool, [accountId]) : undefined
  const parentId = parents?.get(accountId) ?? null
  return routing.forMessage({ accountId, parentId, category: 'marketing', sender: undefined })
}

/** Asks the first carrier of a route that is up. A route whose carriers can't check is passed over. */
async function findCapable({ routing, findCarrier }: ListChecking, name: string, phones: string[]): Promise<void> {
  const carriers = routing.carriersOf(name)
  const asked = carriers.filter((carrier) => routing.find(carrier)?.kind.abilities.capabilityChecks)
  if (carriers.length > 0 && asked.length === 0) return
  for (const carrier of asked) {
    const found = findCarrier(carrier)
    if (!found?.findCapable) continue
    await found.findCapable(phones)
    return
  }
  throw new Error(`No carrier is up for ${name}.`)
}
