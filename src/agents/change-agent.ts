import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import type { AgentGrants } from './agent-grants.ts'
import { GrantedAgentView, grantedAgentExample } from './agent-view.ts'
import { lockAgent, updateRestricted } from './agents.store.ts'
import { findAgentId, finishChange } from './change-grants.ts'

export const changeAgent = (routing: RoutingTable, grants: AgentGrants) =>
  operation({
    route: 'PUT /agents/{agent}',
    id: 'changeAgent',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Open or restrict an RCS agent (operator)',
    description:
      'Says whether everybody may use the agent, or only the accounts that it was granted to. The first grant restricts it; it stays so without the last one, until it is opened here. Messages that wait for an agent that their account may no longer use fall back.',
    body: Type.Object({ access: Type.Enum(['everybody', 'granted']) }, { $id: 'AgentChange' }),
    answer: GrantedAgentView,
    example: { body: { access: 'granted' }, answer: grantedAgentExample },
    refusals: { ...OPERATOR_ONLY, not_found: 'There is no such agent.' },
    async handle({ caller, params, body, database, afterCommit, record }) {
      refuseUnlessOperator(caller)
      const agentId = await findAgentId(database, routing, params.agent)
      if (agentId === undefined) throw notFound('agent')
      return database.begin(async (database) => {
        const before = await lockAgent(database, agentId)
        const isRestricted = body.access === 'granted'
        await updateRestricted(database, { agentId, isRestricted })
        await record(database, {
          object: { kind: 'agent', id: agentId },
          changes: { access: [before.isRestricted ? 'granted' : 'everybody', body.access] }
        })
        return finishChange(database, { routing, grants, agentId, of: 'all', afterCommit })
      })
    }
  })
