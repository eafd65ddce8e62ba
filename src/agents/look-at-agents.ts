import type { RoutingTable } from '../carriers/routing-table.ts'
import type { Pool } from '../database/database.ts'
import { listStaleAgents, upsertLook } from './agents.store.ts'

/** How old an answer of the platform may be. */
const LOOK_SECONDS = 3_600

/** Asks the platform about agents that nobody has looked at for an hour. An answer that does not come is not an error. */
export async function lookAtAgents(pool: Pool, { file }: RoutingTable): Promise<{ isMoreDue: boolean }> {
  const asked = new Map(
    file.carriers.flatMap(({ kind, settings, traits: { agentId } }) =>
      kind.lookAtAgent && agentId !== '' ? [[agentId, () => kind.lookAtAgent?.(settings)] as const] : []
    )
  )
  if (asked.size === 0) return { isMoreDue: false }
  for (const agentId of await listStaleAgents(pool, { agentIds: [...asked.keys()], seconds: LOOK_SECONDS })) {
    const look = await asked.get(agentId)?.()
    if (!look) continue
    const told = { displayName: null, logoUrl: null, launches: [], problem: null, ...look }
    await upsertLook(pool, { agentId, ...told })
  }
  return { isMoreDue: false }
}
