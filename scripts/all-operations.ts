import { RoutingTable } from '../src/carriers/routing-table.ts'
import { NO_LIMITS } from '../src/http/limit.ts'
import type { Operation } from '../src/http/operation.ts'
import { listOperations } from '../src/routes.ts'

/** Every operation, with those of the sandbox, for descriptions; the handlers cannot be called. */
export function listAllOperations(): Operation[] {
  const unused = undefined as never
  return listOperations({
    pool: unused,
    tokens: unused,
    findSite: unused,
    serviceUrl: unused,
    issuer: unused,
    signOn: undefined,
    callers: unused,
    limitDefaults: NO_LIMITS,
    consent: 'off',
    register: unused,
    looks: unused,
    links: unused,
    sending: unused,
    routing: new RoutingTable({ carriers: [], routes: [] }),
    agents: unused,
    prices: unused,
    callbacks: unused,
    webhooks: { allowPrivate: false, onQueued: unused },
    smppAddress: () => undefined,
    phones: {} as never
  })
}
