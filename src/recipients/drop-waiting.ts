import type { Database } from '../database/database.ts'
import { type Move, type RecipientKey, updateStates } from './moves.store.ts'
import { type CountedMove, countMoves } from './moves.ts'
import { RECIPIENT_STATES, toRecipientId } from './recipient.ts'
import { type Ending, updateToWithdrawn } from './revocations.store.ts'
import { insertSteps } from './timeline.store.ts'

/** A recipient that waits and is not to be sent to any more. */
export interface Drop extends RecipientKey {
  ending: Ending
}

/**
 * Takes recipients that wait out of their messages, with their credits back. An RCS that the platform may have, although no
 * answer came, counts as sent first: it is revoked, and the recipient ends when the platform has confirmed that. The
 * messages are locked, and none of these recipients is being submitted.
 */
export async function dropWaiting(
  database: Database,
  drops: readonly Drop[],
  details: Partial<Record<Ending, string>>
): Promise<void> {
  const withdrawn = await updateToWithdrawn(database, drops)
  const isWithdrawn = new Set(withdrawn.map(toRecipientId))
  const moved = await updateStates(
    database,
    drops
      .filter((drop) => !isWithdrawn.has(toRecipientId(drop)))
      .map(({ ending, ...key }) => ({ ...key, ...endingMove(ending), from: RECIPIENT_STATES.waiting }))
  )
  await insertSteps(
    database,
    moved.map((move) => {
      const step = move.to === RECIPIENT_STATES.stopped ? 'stopped' : 'expired'
      return { ...move, step, detail: details[step] ?? '', carrier: null }
    })
  )
  await countMoves(database, [
    ...moved.map((move): CountedMove => ({ ...move, refund: move.credits })),
    ...withdrawn.map(
      (key): CountedMove => ({ ...key, from: RECIPIENT_STATES.waiting, to: RECIPIENT_STATES.sent, refund: 0 })
    )
  ])
}

/** Where a recipient goes that ends so. */
export function endingMove(ending: Ending): Pick<Move, 'to' | 'errorCode'> {
  return ending === 'stopped'
    ? { to: RECIPIENT_STATES.stopped, errorCode: null }
    : { to: RECIPIENT_STATES.expired, errorCode: 'expired' }
}
