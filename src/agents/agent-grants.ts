import type { AgentRules } from '../carriers/agent-rules.ts'
import type { Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { AGENTS_CHANGED, listRules } from './agents.store.ts'

/*
 * Which accounts may use which agents, in the memory of each process: sends and submits look here without a query. NOTIFY
 * tells of a change at once. The list is also read every second, so that a lost notice costs no more.
 */

const READ_PAUSE_MS = 1_000

export interface AgentGrants extends AgentRules, Pick<RunningWorker, 'name' | 'stop'> {
  /** Applies a committed change in this process at once. Without accounts, everybody may use the agent. */
  apply(agentId: string, accountIds: readonly number[] | undefined): void
}

export async function readAgentGrants(pool: Pool, log: Log): Promise<AgentGrants> {
  let rules = new Map<string, ReadonlySet<number>>()
  let readCount = 0
  async function read(): Promise<void> {
    const turn = ++readCount
    const rows = await listRules(pool)
    // A read that began later knows more.
    if (turn === readCount) rules = new Map(rows.map(({ agentId, accountIds }) => [agentId, new Set(accountIds)]))
  }
  await read()
  const worker = startWorker({
    name: 'reading grants of agents',
    work: () => read().then(() => ({ isMoreDue: false })),
    pauseMs: READ_PAUSE_MS,
    log
  })
  await pool.listen(AGENTS_CHANGED, worker.wake, worker.wake)
  return {
    name: worker.name,
    get isAnyRestricted() {
      return rules.size > 0
    },
    isRestricted: (agentId) => rules.has(agentId),
    mayUse: (agentId, accountId) => rules.get(agentId)?.has(accountId) ?? true,
    apply(agentId, accountIds) {
      // A read that began before the commit does not know of it.
      readCount++
      if (accountIds) rules.set(agentId, new Set(accountIds))
      else rules.delete(agentId)
      worker.wake()
    },
    stop: worker.stop
  }
}
