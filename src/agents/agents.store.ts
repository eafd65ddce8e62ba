import type { Sql } from '../database/database.ts'

/** What the platform tells of the launch of an agent with one carrier or region. */
export interface AgentLaunch {
  region: string
  state: string
}

/** What is stored of an agent. */
export interface StoredAgent {
  agentId: string
  isRestricted: boolean
  displayName: string | null
  logoUrl: string | null
  launches: AgentLaunch[]
  lookedAt: Date | null
  problem: string | null
}

export interface AgentGrant {
  agentId: string
  accountId: number
  /** The name of the account. */
  socialReason: string
  /** The parent that passed it on; null: the operator granted it. */
  passedBy: number | null
  createdAt: Date
}

export async function listAgents(sql: Sql): Promise<StoredAgent[]> {
  return sql<StoredAgent[]>`
    select agent_id, is_restricted, display_name, logo_url, launches, looked_at, problem
    from agents
    order by agent_id
  `
}

/** All grants, or those to the sub-accounts of one account and to itself. */
export async function listGrants(sql: Sql, { of }: { of: number | 'all' }): Promise<AgentGrant[]> {
  const isOf = of === 'all' ? sql`true` : sql`(accounts.id = ${of} or accounts.parent_id = ${of})`
  return sql<AgentGrant[]>`
    select agent_id, account_id, social_reason, passed_by, agent_grants.created_at
    from agent_grants
    join accounts on accounts.id = agent_grants.account_id
    where ${isOf}
    order by agent_id, account_id
  `
}

/** Locks the agent until the transaction ends: its grants change one after the other. */
export async function lockAgent(sql: Sql, agentId: string): Promise<{ isRestricted: boolean }> {
  await sql`
    insert into agents (agent_id)
    values (${agentId})
    on conflict (agent_id) do nothing
  `
  const [row] = await sql<[{ isRestricted: boolean }]>`
    select is_restricted
    from agents
    where agent_id = ${agentId}
    for update
  `
  return row
}

export async function updateRestricted(
  sql: Sql,
  { agentId, isRestricted }: { agentId: string; isRestricted: boolean }
): Promise<void> {
  await sql`
    update agents
    set is_restricted = ${isRestricted}
    where agent_id = ${agentId}
  `
}

export type GrantKey = Pick<AgentGrant, 'agentId' | 'accountId'>

export async function findGrant(
  sql: Sql,
  { agentId, accountId }: GrantKey
): Promise<Pick<AgentGrant, 'passedBy'> | undefined> {
  const [row] = await sql<Pick<AgentGrant, 'passedBy'>[]>`
    select passed_by
    from agent_grants
    where agent_id = ${agentId}
      and account_id = ${accountId}
  `
  return row
}

/** A grant of the operator stays one when the parent grants the same. */
export async function upsertGrant(
  sql: Sql,
  { agentId, accountId, passedBy }: GrantKey & Pick<AgentGrant, 'passedBy'>
): Promise<void> {
  await sql`
    insert into agent_grants (agent_id, account_id, passed_by)
    values (${agentId}, ${accountId}, ${passedBy})
    on conflict (agent_id, account_id) do update
    set passed_by = null
    where excluded.passed_by is null
  `
}

/** Deletes a grant, and those that its account passed on. */
export async function deleteGrants(sql: Sql, { agentId, accountId }: GrantKey): Promise<void> {
  await sql`
    delete from agent_grants
    where agent_id = ${agentId}
      and (account_id = ${accountId} or passed_by = ${accountId})
  `
}

/** Takes all agents from an account that is closed, and from those that it passed them on to. */
export async function deleteGrantsOf(sql: Sql, accountId: number): Promise<void> {
  const { count } = await sql`
    delete from agent_grants
    where account_id = ${accountId}
      or passed_by = ${accountId}
  `
  if (count > 0) await notifyAgentsChanged(sql)
}

/** Stores what the platform told of an agent, or why it did not: then the last answer stays. */
export async function upsertLook(
  sql: Sql,
  look: Pick<StoredAgent, 'agentId' | 'displayName' | 'logoUrl' | 'launches' | 'problem'>
): Promise<void> {
  const { agentId, displayName, logoUrl, launches, problem } = look
  await sql`
    insert into agents (agent_id, display_name, logo_url, launches, looked_at, problem)
    values (${agentId}, ${displayName}, ${logoUrl}, ${JSON.stringify(launches)}::text::jsonb, now(), ${problem})
    on conflict (agent_id) do update
    set looked_at = excluded.looked_at,
        problem = excluded.problem,
        display_name = case when excluded.problem is null then excluded.display_name else agents.display_name end,
        logo_url = case when excluded.problem is null then excluded.logo_url else agents.logo_url end,
        launches = case when excluded.problem is null then excluded.launches else agents.launches end
  `
}

/** The agents that nobody has looked at for so long, of the given ones. */
export async function listStaleAgents(
  sql: Sql,
  { agentIds, seconds }: { agentIds: readonly string[]; seconds: number }
): Promise<string[]> {
  const rows = await sql<{ agentId: string }[]>`
    select given.agent_id
    from unnest(${agentIds as string[]}::text[]) as given (agent_id)
    left join agents on agents.agent_id = given.agent_id
    where looked_at is null
      or looked_at < now() - make_interval(secs => ${seconds})
  `
  return rows.map(({ agentId }) => agentId)
}

/** Who may use which restricted agent. Covers all accounts: for processes. */
export async function listRules(sql: Sql): Promise<{ agentId: string; accountIds: number[] }[]> {
  return sql<{ agentId: string; accountIds: number[] }[]>`
    select agents.agent_id, array_remove(array_agg(account_id), null) as account_ids
    from agents
    left join agent_grants on agent_grants.agent_id = agents.agent_id
    where is_restricted
    group by agents.agent_id
  `
}

/** Every process reads the rules again. The notice comes with the commit. */
export const AGENTS_CHANGED = 'agents_changed'

export async function notifyAgentsChanged(sql: Sql): Promise<void> {
  await sql`select pg_notify(${AGENTS_CHANGED}, '')`
}
