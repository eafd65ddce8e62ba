import type { IncomingHttpHeaders } from 'node:http'
import type { ConsentMode, MarketingCap } from './consent-mode.ts'
import type { LimitedAccount, Limits } from './limit.ts'
import type { Permission } from './permission.ts'

/**
 * The account that a limit counts a request for, and its top-level account, which has a count of its own. A request
 * without an account is counted for its network.
 */
export interface Asker {
  accountId: number | string
  /** The account itself, or the parent of a sub-account. */
  topLevelId: number | string
}

/** The account of all requests without credentials. No account has this id. */
export const NO_ACCOUNT = { accountId: 0, topLevelId: 0 } satisfies Asker

/** The token of a request. */
export interface ShownToken {
  id: string
  expiresAt: Date
}

/** Who asks for an account, and what they may do. */
export interface Actor {
  /** Null for a request with a key. */
  personId: number | null
  /** Null for a request with a token. */
  keyId: number | null
  permissions: ReadonlySet<Permission>
  /** Whether this is somebody from above who looks at the account. */
  isViewing: boolean
  /** The account above from which they look. */
  viewedFrom: number | null
}

/**
 * The account that asks, as far as this folder knows accounts. `process/serve-http.ts` gives the function that finds
 * it.
 */
export interface Caller extends Asker, Actor {
  accountId: number
  topLevelId: number
  /** Null for an account of its own. */
  parentId: number | null
  /** Whether this is the first account, which runs the installation. */
  isOperator: boolean
  /** Null for a request with a key. */
  token: ShownToken | null
  /** When the person logged in at the OpenID provider, if so; a session that is begun from it has this too. */
  signedOnAt: Date | null
  /** Whether the account requires a second factor of its people. */
  requiresSecondFactor: boolean
  /** Whether the person has none though it is required: this session may only set one up. */
  lacksSecondFactor: boolean
  country: string
  timeZone: string
  /** What applies to its messages unless they say otherwise. */
  defaultSender: string | null
  typography: boolean
  hoursEnd: string
  sundaysAndHolidays: boolean
  calendar: 'national' | 'alsace-moselle'
  /** What happens to its marketing for people without a consent. */
  consent: ConsentMode
  /** Null without a cap. */
  marketingCap: MarketingCap | null
  /** The limits of the account itself. */
  ownLimits: Limits
  /** The limits that bind requests and sends: the account's own and its parent's, where there are any. */
  limits: readonly LimitedAccount[]
}

/** A request, as far as it says who asks. */
export interface Arrived {
  headers: IncomingHttpHeaders
  /** The client's address, behind the proxies that we trust. */
  ip: string
}

/** Finds the caller, at once if it is known already, or refuses with a 401, or with a 403 if the account is suspended. */
export type Authenticate = (request: Arrived) => Caller | Promise<Caller>
