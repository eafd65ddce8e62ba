import type { Sql } from '../database/database.ts'
import { notFound, Refusal } from '../errors.ts'
import { eachRule, fieldOf, type Group } from './rules.ts'
import type { Problems, Segment } from './segment.ts'
import { listNamed } from './segments.store.ts'

/* Whether everything that rules name is still there. */

interface MissingReference {
  path: string
  /** The name of the missing thing, for a refusal. */
  what: string
  message: string
}

/** The rules that name a field, a list or a message which the account does not have. */
async function findMissing(sql: Sql, accountId: number, groups: readonly Group[]): Promise<MissingReference[][]> {
  const rules = groups.map((group) => [...eachRule(group)])
  const listIds = rules.flat().flatMap(({ rule }) => (rule.type === 'list' ? [rule.list_id] : []))
  const messageIds = rules.flat().flatMap(({ rule }) => (rule.type === 'event' ? (rule.message_id ?? []) : []))
  const named = await listNamed(sql, { accountId, listIds, messageIds })
  return rules.map((found) =>
    found.flatMap(({ rule, path }): MissingReference[] => {
      if (rule.type === 'field') {
        if (fieldOf(rule)) return []
        return [{ path: `${path}.field`, what: 'field', message: `names ${rule.field}, which contacts do not have` }]
      }
      if (rule.type === 'list') {
        if (named.lists.has(rule.list_id)) return []
        const message = `names contact list ${rule.list_id}, which does not exist any more`
        return [{ path: `${path}.list_id`, what: 'contact list', message }]
      }
      if (rule.message_id === undefined || named.messages.has(rule.message_id)) return []
      const message = `names message ${rule.message_id}, which does not exist any more`
      return [{ path: `${path}.message_id`, what: 'message', message }]
    })
  )
}

/** The problems of each segment, in their order. */
export async function findProblems(sql: Sql, accountId: number, segments: readonly Segment[]): Promise<Problems[]> {
  const gone = await findMissing(
    sql,
    accountId,
    segments.map(({ rules }) => rules)
  )
  return gone.map((problems) => problems.map(({ path, message }) => ({ path, message })))
}

/** Refuses new rules that name what the account does not have. */
export async function refuseUnknown(sql: Sql, accountId: number, rules: Group): Promise<void> {
  const [first] = (await findMissing(sql, accountId, [rules])).flat()
  if (first) throw notFound(first.what)
}

/** Refuses a segment that names what is gone: it must never be taken for a smaller or a larger one. */
export async function refuseGone(sql: Sql, accountId: number, segment: Segment): Promise<void> {
  const [problems = []] = await findProblems(sql, accountId, [segment])
  const [first] = problems
  if (!first) return
  const sentence = `The segment “${segment.name}” must be changed first: ${first.path} ${first.message}.`
  throw new Refusal(409, 'state_conflict', sentence, { details: problems })
}
