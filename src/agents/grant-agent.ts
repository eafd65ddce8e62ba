import { refuseClosed } from '../accounts/managed-account.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import { operation } from '../http/operation.ts'
import type { AgentGrants } from './agent-grants.ts'
import { GrantedAgentView, grantedAgentExample } from './agent-view.ts'
import { findGrant, lockAgent, updateRestricted, upsertGrant } from './agents.store.ts'
import { findGrantable, finishChange } from './change-grants.ts'

export const grantAgent = (routing: RoutingTable, grants: AgentGrants) =>
  operation({
    route: 'PUT /agents/{agent}/accounts/{id}',
    id: 'grantAgent',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Grant an RCS agent to an account',
    description:
      'From now on the account may write as this agent, which is named by its id or by its carrier. The operator grants to any account; the first grant takes the agent from everybody else. A parent passes an agent that it was granted itself on to its sub-accounts.',
    answer: GrantedAgentView,
    example: { answer: grantedAgentExample },
    refusals: {
      not_found: 'There is no such agent or account, or the caller may not grant it.',
      state_conflict: 'The account is closed.'
    },
    async handle({ caller, params, database, afterCommit, record }) {
      const { agent, id } = params
      return database.begin(async (database) => {
        const { agentId, account, passedBy } = await findGrantable(database, { caller, routing, agent, id })
        refuseClosed(account)
        const { isRestricted } = await lockAgent(database, agentId)
        // The grant that a parent passes on may have been revoked before the lock.
        await findGrantable(database, { caller, routing, agent, id })
        const before = await findGrant(database, { agentId, accountId: id })
        await upsertGrant(database, { agentId, accountId: id, passedBy })
        // An agent that the operator opened again stays open when a parent passes it on.
        if (passedBy === null && !isRestricted) await updateRestricted(database, { agentId, isRestricted: true })
        await record(database, {
          accountId: id,
          object: { kind: 'agent', id: agentId },
          changes: { granted: [before !== undefined, true] }
        })
        const of = caller.isOperator ? 'all' : caller.accountId
        return finishChange(database, { routing, grants, agentId, of, afterCommit })
      })
    }
  })
