import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { operation } from '../http/operation.ts'
import { RouteView, readCarriersNow, routeExample, toRouteView } from './route-view.ts'
import { compareRoutes } from './routes.ts'
import type { RoutingTable } from './routing-table.ts'

export const listRoutes = (routing: RoutingTable) =>
  operation({
    route: 'GET /routes',
    id: 'listRoutes',
    tag: 'Beyond',
    permission: 'read',
    summary: 'Routes (operator)',
    description:
      'Every route of the carriers file with its carriers, those of SMS first, the most specific first: routes that name an account, then a sender, then a category, then those with the longest prefix.',
    answer: Type.Array(RouteView),
    example: { answer: [routeExample] },
    refusals: OPERATOR_ONLY,
    async handle({ caller, database }) {
      refuseUnlessOperator(caller)
      const now = await readCarriersNow(database, routing)
      return ['sms', 'rcs'].flatMap((channel) =>
        routing.routes
          .filter((route) => route.channel === channel)
          .sort((one, other) => compareRoutes(one, other))
          .map((route) => toRouteView(route, { routing, now, isPriced: true }))
      )
    }
  })
