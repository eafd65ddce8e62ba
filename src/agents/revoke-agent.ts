import type { RoutingTable } from '../carriers/routing-table.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import type { AgentGrants } from './agent-grants.ts'
import { GrantedAgentView, grantedAgentExample } from './agent-view.ts'
import { deleteGrants, findGrant, lockAgent } from './agents.store.ts'
import { findGrantable, finishChange } from './change-grants.ts'

export const revokeAgent = (routing: RoutingTable, grants: AgentGrants) =>
  operation({
    route: 'DELETE /agents/{agent}/accounts/{id}',
    id: 'revokeAgent',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Revoke an RCS agent from an account',
    description:
      'The account may no longer write as this agent, and neither may the sub-accounts that it passed the agent on to. Messages that wait fall back. A parent revokes what it passed on. Without its last grant, an agent is nobody’s until the operator grants or opens it.',
    answer: GrantedAgentView,
    example: { answer: { ...grantedAgentExample, grants: [] } },
    refusals: { not_found: 'There is no such agent or account, or the agent was not granted to it.' },
    async handle({ caller, params, database, afterCommit, record }) {
      const { agent, id } = params
      return database.begin(async (database) => {
        const { agentId, passedBy } = await findGrantable(database, { caller, routing, agent, id })
        await lockAgent(database, agentId)
        const grant = await findGrant(database, { agentId, accountId: id })
        const isTheirs = grant && (passedBy === null || grant.passedBy === passedBy)
        if (!isTheirs) throw notFound('grant')
        await deleteGrants(database, { agentId, accountId: id })
        await record(database, {
          accountId: id,
          object: { kind: 'agent', id: agentId },
          changes: { granted: [true, false] }
        })
        const of = caller.isOperator ? 'all' : caller.accountId
        return finishChange(database, { routing, grants, agentId, of, afterCommit })
      })
    }
  })
