import Type, { type Static } from 'typebox'
import { findUp } from '../carriers/route-view.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import type { Sql } from '../database/database.ts'
import { Nullable } from '../schemas/nullable.ts'
import { type AgentGrant, listAgents, listGrants, type StoredAgent } from './agents.store.ts'

const agentFields = {
  id: Type.String({ description: 'The agent’s id, as a send names it.' }),
  carriers: Type.Array(Type.String(), { description: 'The carriers that write as this agent, by name.' }),
  is_up: Type.Boolean({ description: 'Whether one of them can send now.' }),
  access: Type.Enum(['everybody', 'granted'], {
    description: '`granted`: only accounts that it was granted to may use it.'
  }),
  name: Nullable(Type.String({ description: 'What phones show, where the platform tells it.' })),
  logo_url: Nullable(Type.String({ description: 'Its picture, where the platform tells it.' })),
  launches: Type.Array(
    Type.Object({
      region: Type.String({ description: 'A carrier or a region, as the platform names it.' }),
      state: Type.String({ description: 'As the platform says it, such as `launched`, `pending` or `rejected`.' })
    })
  ),
  looked_at: Nullable(Type.String({ format: 'date-time', description: 'When the platform was last asked about it.' }))
}

/** An agent that an account may use. */
export const AgentView = Type.Object(agentFields, { $id: 'Agent' })

const AgentGrantView = Type.Object(
  {
    account_id: Type.Integer(),
    account_name: Type.String(),
    passed_by: Nullable(Type.Integer({ description: 'The parent that passed it on; null: the operator granted it.' })),
    granted_at: Type.String({ format: 'date-time' })
  },
  { $id: 'AgentGrant' }
)

export const GrantedAgentView = Type.Object(
  {
    ...agentFields,
    problem: Nullable(Type.String({ description: 'Why the platform told nothing at the last look.' })),
    grants: Type.Array(AgentGrantView)
  },
  { $id: 'GrantedAgent' }
)

export const agentExample: Static<typeof AgentView> = {
  id: 'brand@rbm.goog',
  carriers: ['rcs'],
  is_up: true,
  access: 'granted',
  name: 'My Shop',
  logo_url: 'https://shop.example/logo.png',
  launches: [{ region: 'fr-orange', state: 'launched' }],
  looked_at: '2026-11-16T09:30:00.000Z'
}

export const grantedAgentExample: Static<typeof GrantedAgentView> = {
  ...agentExample,
  problem: null,
  grants: [{ account_id: 7, account_name: 'My Shop', passed_by: null, granted_at: '2026-11-16T09:30:00.000Z' }]
}

/** All agents of the carriers file, and those that only have grants. */
export async function readAgents(sql: Sql, routing: RoutingTable) {
  const stored = new Map((await listAgents(sql)).map((agent) => [agent.agentId, agent]))
  const up = await findUp(sql, routing)
  const ids = [...new Set([...routing.agentIds, ...stored.keys()])].sort()
  return ids.map((id) => toAgentView(id, stored.get(id), { routing, up }))
}

/** With their grants: all of them, or those to the sub-accounts of one account and to itself. */
export async function readGrantedAgents(sql: Sql, routing: RoutingTable, options: { of: number | 'all' }) {
  const grants = await listGrants(sql, options)
  const agents = await readAgents(sql, routing)
  const problems = new Map((await listAgents(sql)).map(({ agentId, problem }) => [agentId, problem]))
  return agents.map((agent) => ({
    ...agent,
    problem: problems.get(agent.id) ?? null,
    grants: grants.filter(({ agentId }) => agentId === agent.id).map(toGrantView)
  }))
}

function toAgentView(
  id: string,
  stored: StoredAgent | undefined,
  { routing, up }: { routing: RoutingTable; up: ReadonlySet<string> }
): Static<typeof AgentView> {
  const carriers = routing.carriersOfAgent(id)
  return {
    id,
    carriers,
    is_up: carriers.some((carrier) => up.has(carrier)),
    access: stored?.isRestricted ? 'granted' : 'everybody',
    name: stored?.displayName ?? null,
    logo_url: stored?.logoUrl ?? null,
    launches: stored?.launches ?? [],
    looked_at: stored?.lookedAt?.toISOString() ?? null
  }
}

function toGrantView({ accountId, socialReason, passedBy, createdAt }: AgentGrant): Static<typeof AgentGrantView> {
  return {
    account_id: accountId,
    account_name: socialReason,
    passed_by: passedBy,
    granted_at: createdAt.toISOString()
  }
}
