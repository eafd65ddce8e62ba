import Type from 'typebox'
import type { RoutingTable } from '../carriers/routing-table.ts'
import { operation } from '../http/operation.ts'
import { AgentView, agentExample, readAgents } from './agent-view.ts'
import { listRules } from './agents.store.ts'

export const listMyAgents = (routing: RoutingTable) =>
  operation({
    route: 'GET /agents',
    id: 'listAgents',
    tag: 'Beyond',
    permission: 'read',
    summary: 'RCS agents that I may use',
    description:
      'The agents that this account may write RCS as: those that it was granted, and those that are open to everybody. `agent` of a send names one.',
    answer: Type.Array(AgentView),
    example: { answer: [agentExample] },
    async handle({ caller, database }) {
      // The database, and not the memory of this process: a grant of a moment ago is told.
      const rules = new Map((await listRules(database)).map(({ agentId, accountIds }) => [agentId, accountIds]))
      const agents = await readAgents(database, routing)
      return agents.filter(
        ({ id, carriers }) => carriers.length > 0 && (rules.get(id)?.includes(caller.accountId) ?? true)
      )
    }
  })
