import { strict as assert } from 'node:assert'
import type { Account } from '../accounts/account.ts'
import { findForOperator, findForParent } from '../accounts/managed-account.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { AgentGrants } from './agent-grants.ts'
import { readGrantedAgents } from './agent-view.ts'
import { findGrant, listAgents, listRules, notifyAgentsChanged } from './agents.store.ts'

/** By its id, or by the name of its carrier. An agent that left the carriers file still has its grants. */
export async function findAgentId(sql: Sql, routing: RoutingTable, name: string): Promise<string | undefined> {
  return routing.findAgent(name) ?? (await listAgents(sql)).find(({ agentId }) => agentId === name)?.agentId
}

/** What a caller may grant, and to whom: the operator everything to everybody, a parent its own to its sub-accounts. */
export async function findGrantable(
  sql: Sql,
  { caller, routing, agent, id }: { caller: Caller; routing: RoutingTable; agent: string; id: number }
): Promise<{ agentId: string; account: Account; passedBy: number | null }> {
  const { accountId, isOperator } = caller
  const account = isOperator ? await findForOperator(sql, caller, id) : await findForParent(sql, caller, id)
  const agentId = await findAgentId(sql, routing, agent)
  const isHeld = agentId !== undefined && (isOperator || (await findGrant(sql, { agentId, accountId })) !== undefined)
  if (!isHeld) throw notFound('agent')
  return { agentId, account, passedBy: isOperator ? null : accountId }
}

/** The agent as it is now, which every process is told of. */
export async function finishChange(
  sql: Sql,
  {
    routing,
    grants,
    agentId,
    of,
    afterCommit
  }: {
    routing: RoutingTable
    grants: AgentGrants
    agentId: string
    of: number | 'all'
    afterCommit(work: () => void): void
  }
) {
  await notifyAgentsChanged(sql)
  const rule = (await listRules(sql)).find((other) => other.agentId === agentId)
  afterCommit(() => grants.apply(agentId, rule?.accountIds))
  const agent = (await readGrantedAgents(sql, routing, { of })).find(({ id }) => id === agentId)
  assert(agent)
  return of === 'all' ? agent : { ...agent, problem: null }
}
