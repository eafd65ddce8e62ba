import type { Database } from '../database/database.ts'
import { deleteExternalIds, type ExternalId, insertExternalIds } from '../messages/external-ids.store.ts'
import type { Send } from './send.ts'

/** A message that is about to be stored. */
interface Named {
  small: { send: Pick<Send, 'accountId' | 'externalId'> }
  id: number
}

export type ClaimedExternalIds = Awaited<ReturnType<typeof claimExternalIds>>

/** Claims the external ids of messages. A refused send does not use up its id: the id is released. */
export async function claimExternalIds(database: Database, messages: readonly Named[]) {
  const ids = messages.flatMap(toExternalId)
  const claims = await insertExternalIds(database, ids)
  const claimed = new Set(claims.filter(({ isTaken }) => isTaken).map(toName))
  const contested = new Set(claims.filter(({ isContested }) => isContested).map(toName))
  return {
    /** Whether the id of a message, if it has one, was free. */
    isFree: (message: Named) => toExternalId(message).every((id) => claimed.has(toName(id))),
    /** Whether another transaction is claiming it. */
    isContested: (message: Named) => contested.has(nameOf(message) ?? ''),
    async release(granted: readonly Named[]): Promise<void> {
      const used = new Set(granted.map(nameOf))
      const unused = ids.filter((id) => claimed.has(toName(id)) && !used.has(toName(id)))
      await deleteExternalIds(database, unused)
    }
  }
}

/** A message has one external id, or none. */
export function toExternalId({ small: { send }, id }: Named): ExternalId[] {
  return send.externalId === undefined
    ? []
    : [{ accountId: send.accountId, externalId: send.externalId, messageId: id }]
}

/** Undefined for a message without an external id. */
export function nameOf(message: Named): string | undefined {
  return toExternalId(message).map(toName)[0]
}

function toName({ accountId, externalId }: Pick<ExternalId, 'accountId' | 'externalId'>): string {
  return `${accountId} ${externalId}`
}
