import Type from 'typebox'
import type { RoutingTable } from '../carriers/routing-table.ts'
import { operation } from '../http/operation.ts'
import { GrantedAgentView, grantedAgentExample, readGrantedAgents } from './agent-view.ts'

export const listAgentGrants = (routing: RoutingTable) =>
  operation({
    route: 'GET /agents/grants',
    id: 'listAgentGrants',
    tag: 'Beyond',
    permission: 'read',
    summary: 'RCS agents and their grants',
    description:
      'For the operator: every agent, with the accounts that it was granted to. For an account: the agents that it was granted, with the grants to itself and to its sub-accounts.',
    answer: Type.Array(GrantedAgentView),
    example: { answer: [grantedAgentExample] },
    async handle({ caller: { accountId, isOperator }, database }) {
      if (isOperator) return readGrantedAgents(database, routing, { of: 'all' })
      const agents = await readGrantedAgents(database, routing, { of: accountId })
      return agents
        .filter(({ grants }) => grants.some((grant) => grant.account_id === accountId))
        .map((agent) => ({ ...agent, problem: null }))
    }
  })
