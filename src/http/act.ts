import type { Sql } from '../database/database.ts'

/*
 * What the audit trail keeps of an act. This folder knows no trail: `process/serve-http.ts` gives the function that
 * writes it.
 */

/** Who does something, through which operation, and from where. */
export interface Author {
  /** The id of the operation. */
  operation: string
  /** Null for an open operation: its act names the account. */
  accountId: number | null
  /** Null for a request with a key, and for an open operation. */
  personId: number | null
  keyId: number | null
  /** The account above from which a person looks at this one. */
  viewedFrom: number | null
  /** The client's address, behind the proxies that we trust. */
  address: string
}

/** A value before or after a change. Never a secret, never the content of a message. */
export type ActValue = string | number | boolean | null | readonly (string | number)[]

/** A value before and after; or only that it changed, for secrets, contents and personal data of contacts. */
export type ActChange = readonly [before: ActValue, after: ActValue] | 'hidden'

export type ActChanges = Readonly<Record<string, ActChange>>

export interface Act {
  /** The account that the act changes, if it is not the account of the caller. */
  accountId?: number
  /** Whether the person acts as one of the people of `accountId`, and not for the account of the session: a switch. */
  isMember?: boolean
  /** The person who acts, where only the operation knows: a log-in. */
  personId?: number
  /** The thing that is changed. */
  object?: { kind: string; id: number | string }
  /** The fields that changed, each with its value before and after. */
  changes?: ActChanges
  /** Whether the act was refused, such as a log-in with a wrong password. */
  isRefused?: boolean
}

/** These fields, each with its value before and after. */
export function changesOf<Name extends string>(
  before: Readonly<Record<Name, ActValue>>,
  after: Readonly<Record<Name, ActValue>>,
  names: readonly Name[]
): ActChanges {
  return Object.fromEntries(names.map((name) => [name, [before[name], after[name]]]))
}

/** The names alone of fields that changed. */
export function hiddenChanges(names: readonly string[]): ActChanges {
  return Object.fromEntries(names.map((name) => [name, 'hidden']))
}

/** Writes an entry of the audit trail. */
export type RecordAct = (sql: Sql, author: Author, act: Act) => Promise<void>
