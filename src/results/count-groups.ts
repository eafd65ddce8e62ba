import { liftStatementTimeout, type Pool, type Sql } from '../database/database.ts'
import {
  addToFigures,
  claimUncounted,
  endCount,
  findGroups,
  type Group,
  type GroupCounts,
  type Uncounted,
  upsertGroups
} from '../stats/groups.store.ts'
import { Failures } from '../workers/failures.ts'
import { listMessageCounts, listRecipientGroups } from './message-results.store.ts'

/** Messages per turn. */
const BATCH = 20
/** Longer than to count the recipients of the messages of a turn. */
const LEASE_SECONDS = 1_800
/** Longer links and errors are cut: they are part of a key. */
const VALUE_MAX = 500
/** Different errors that are kept of a message. */
const ERRORS_MAX = 100

/**
 * Counts the recipients of folded messages by country, carrier, error and link, some messages at a time. The recipients are read
 * without any lock. A change that comes meanwhile makes the message due again.
 */
export async function countGroups(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const due = await claimUncounted(pool, { limit: BATCH, leaseSeconds: LEASE_SECONDS })
  const failures = new Failures()
  for (const message of due) await failures.try(() => countMessage(pool, message))
  failures.throwFirst()
  return { isMoreDue: due.length === BATCH }
}

async function countMessage(pool: Pool, message: Uncounted): Promise<void> {
  const countedAt = new Date()
  const groups = await pool.begin(async (database) => {
    await liftStatementTimeout(database)
    const link = await listLinkGroup(database, message)
    return [...(await listRecipientGroups(database, message)), ...link]
  })
  await pool.begin(async (database) => {
    if (!(await endCount(database, message))) return
    const before = await findGroups(database, message)
    // Another process counted it later than this one.
    if (before && before.countedChanges >= message.changes) return
    const kept = toKept(groups)
    await upsertGroups(database, message, { groups: kept, countedAt })
    const changes = differencesOf(before?.groups ?? [], kept)
    if (changes.length > 0) await addToFigures(database, message, changes)
  })
}

/** All recipients of a message with a tracked link. Their clicks are those of the message: visitors of a common link count too. */
async function listLinkGroup(sql: Sql, { accountId, messageId }: Uncounted): Promise<Group[]> {
  const [counts] = await listMessageCounts(sql, { accountId, ids: [messageId] })
  if (!counts || counts.link === null) return []
  const { link, recipients, sent, delivered, failed, clicked } = counts
  return [{ by: 'link', value: link, recipients, sent, delivered, failed, clicked }]
}

function toKept(groups: readonly Group[]): Group[] {
  const isError = ({ by }: Group) => by === 'error'
  const errors = groups.filter(isError).toSorted((a, b) => b.recipients - a.recipients)
  const kept = [...groups.filter((group) => !isError(group)), ...errors.slice(0, ERRORS_MAX)]
  return kept.map((group) => ({ ...group, value: group.value.slice(0, VALUE_MAX).toWellFormed() }))
}

const COUNTS = ['recipients', 'sent', 'delivered', 'failed', 'clicked'] as const satisfies (keyof GroupCounts)[]

/** What to add to the figures of a period so that they have the new groups instead of the old ones. */
function differencesOf(before: readonly Group[], after: readonly Group[]): Group[] {
  const changes = new Map<string, Group>()
  for (const [groups, sign] of [
    [before, -1],
    [after, 1]
  ] as const) {
    for (const group of groups) {
      if (group.by === 'delivered' || group.by === 'clicked') continue
      const key = `${group.by} ${group.value}`
      const change = changes.get(key) ?? { ...group, recipients: 0, sent: 0, delivered: 0, failed: 0, clicked: 0 }
      for (const name of COUNTS) change[name] += sign * group[name]
      changes.set(key, change)
    }
  }
  return [...changes.values()].filter((change) => COUNTS.some((name) => change[name] !== 0))
}
