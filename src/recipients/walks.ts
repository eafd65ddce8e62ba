import { areClose } from '../database/id-span.ts'
import { isDistributed } from '../database/shape.ts'

/*
 * Recipients of one message that are close together are found by one walk along the index, in a tenth of the time of
 * looking each up. But each walk is a statement.
 */

/** Up to so many messages, each has its own walk. */
export const WALKS_MAX = 4

/**
 * From so many recipients on, a message has its own walk on a cluster, however many there are: Citus routes such a
 * statement without planning it. For fewer recipients, a statement more costs more than the walk saves.
 */
const CLUSTER_WALK_MIN = 100

/** Splits recipients, which are grouped by message, into those that are found by walks and those that are looked up. */
export function splitByWalk<G>(
  groups: readonly G[],
  positionsOf: (group: G) => readonly number[]
): { walks: readonly G[]; others: readonly G[] } {
  const walks: G[] = []
  const others: G[] = []
  let areOthersClose = true
  for (const group of groups) {
    const positions = positionsOf(group)
    const isClose = areClose(positions)
    if (isDistributed() && isClose && positions.length >= CLUSTER_WALK_MIN) {
      walks.push(group)
      continue
    }
    others.push(group)
    areOthersClose &&= isClose
  }
  return others.length <= WALKS_MAX && areOthersClose ? { walks: groups, others: [] } : { walks, others }
}
