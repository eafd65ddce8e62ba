import type { IncomingHttpHeaders } from 'node:http'

/**
 * The account that a limit counts a request for, and its top-level account, which has a count of its own. A request
 * without an account is counted for its network.
 */
export interface Asker {
  accountId: number | string
  /** The account itself, or the parent of a sub-account. */
  topLevelId: number | string
}

/** The token of a request. */
export interface ShownToken {
  id: string
  expiresAt: Date
}

/** The account that asks, as far as this folder knows accounts. `service.ts` gives the function that finds it. */
export interface Caller extends Asker {
  accountId: number
  topLevelId: number
  /** Null for an account of its own. */
  parentId: number | null
  /** Whether this is the first account, which runs the installation. */
  isOperator: boolean
  /** Null for a request with a key. */
  token: ShownToken | null
  country: string
  timeZone: string
  /** What applies to its messages unless they say otherwise. */
  defaultSender: string | null
  typography: boolean
  hoursEnd: string
  sundaysAndHolidays: boolean
  calendar: 'national' | 'alsace-moselle'
}

/** Finds the caller, at once if it is known already, or refuses with a 401. */
export type Authenticate = (headers: IncomingHttpHeaders) => Caller | Promise<Caller>
