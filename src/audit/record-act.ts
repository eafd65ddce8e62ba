import { strict as assert } from 'node:assert'
import type { Act, ActValue, Author, RecordAct } from '../http/act.ts'
import { insertEntries, type NewEntry } from './entries.store.ts'

/** A name or an address fits; the text of a message would not. */
const TEXT_MAX = 200
const LIST_MAX = 50

/** Writes an act into the audit trail, with the transaction of the act. */
export const recordAct: RecordAct = (sql, author, act) => insertEntries(sql, [toEntry(author, act)])

function toEntry(author: Author, act: Act): NewEntry {
  const onAccountId = act.accountId ?? author.accountId
  assert(onAccountId !== null, `${author.operation} names no account`)
  return {
    ...author,
    accountId: act.isMember ? onAccountId : (author.accountId ?? onAccountId),
    onAccountId,
    personId: author.personId ?? act.personId ?? null,
    objectKind: act.object?.kind ?? null,
    objectId: act.object === undefined ? null : String(act.object.id),
    changes: toStored(act.changes),
    isRefused: act.isRefused ?? false
  }
}

/** The changes, without those that change nothing; null if there are none. */
function toStored(changes: Act['changes']): NewEntry['changes'] {
  if (!changes) return null
  const real = Object.entries(changes).filter(([, change]) => change === 'hidden' || !isSame(change))
  if (real.length === 0) return null
  return Object.fromEntries(
    real.map(([name, change]) => [
      toSnake(name),
      change === 'hidden' ? change : [shorten(change[0]), shorten(change[1])]
    ])
  )
}

/** The names of the API: `time_zone`. */
function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function isSame([before, after]: readonly [ActValue, ActValue]): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after)
}

function shorten(value: ActValue): ActValue {
  if (typeof value === 'string') return value.length <= TEXT_MAX ? value : `${value.slice(0, TEXT_MAX)}…`
  if (Array.isArray(value)) return value.slice(0, LIST_MAX).map((item) => shorten(item) as string | number)
  return value
}
