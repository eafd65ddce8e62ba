import { type Check, timesTaken } from './check-delivery.ts'
import type { Cluster } from './cluster.ts'
import type { Seen } from './extracts.ts'
import type { Submit } from './links.ts'

/** An answer that came less than this before its process or the database was gone may not have been stored. */
const STORED_WITHIN_MS = 5_000

export interface Repeats {
  /** Recipients that the carrier took more than once. */
  repeated: number
  /** Links that were lost, not unbound. */
  linksLost: number
  /** What had no answer when its link was lost. */
  unanswered: number
  /** The most that may come twice: the windows of the links that were lost. */
  most: number
}

/**
 * Under `resend`, only what was on its way when a link was lost may come twice: never more than the windows of the links that
 * were lost, and each of them was without an answer, or its answer came too late to be stored.
 */
export function checkRepeats(cluster: Cluster, seen: readonly Seen[], { window }: { window: number }) {
  const { links } = cluster
  const lost = links.links.filter(({ closedAt, isUnbound }) => closedAt !== undefined && !isUnbound)
  const unanswered = lost.reduce((sum, link) => sum + link.unanswered.size, 0)
  const phones = seen.flatMap(({ recipients }) => [...recipients.values()].flat().map(({ recipient }) => recipient))
  const repeated = phones.filter((phone) => timesTaken(cluster, phone) > 1)
  const repeats: Repeats = { repeated: repeated.length, linksLost: lost.length, unanswered, most: window * lost.length }
  const tooMany = repeats.repeated > repeats.most ? [`${repeats.repeated} repeats, ${repeats.most} at most`] : []
  const byPhone = Map.groupBy(links.submits, ({ phone }) => phone)
  const unexplained = repeated.filter((phone) => {
    const submits = byPhone.get(phone.slice(1)) ?? []
    return !submits.some((submit) => mayBeUnknown(cluster, submit))
  })
  const checks: Check[] = [
    { promise: 'repeats never exceed the windows of the links that were lost', problems: tooMany },
    {
      promise: 'whatever came twice had no stored answer when its link was lost',
      problems: unexplained.map((phone) => `${phone} was answered in good time, and sent again`)
    }
  ]
  return { repeats, checks }
}

function mayBeUnknown({ outages }: Cluster, { answeredAt, link }: Submit): boolean {
  if (answeredAt === undefined) return true
  const isLateForLink = link.closedAt !== undefined && !link.isUnbound && link.closedAt - answeredAt < STORED_WITHIN_MS
  const isInOutage = outages.some(
    ({ from, to }) => answeredAt > from - STORED_WITHIN_MS && answeredAt < to + STORED_WITHIN_MS
  )
  return isLateForLink || isInOutage
}
