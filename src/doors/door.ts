import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DoorName } from '../callbacks/callback.ts'
import type { ConnectionShares } from '../database/connection-shares.ts'
import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Author } from '../http/act.ts'
import type { Authenticate, Caller } from '../http/caller.ts'
import { type Permission, refusalOf } from '../http/permission.ts'
import type { RequestRates } from '../http/request-rates.ts'
import type { Accept } from '../sends/accept.ts'
import type { ReadPaces } from '../sends/forecast.ts'
import type { Routing } from '../sends/routing.ts'
import type { SendContext } from '../sends/send.ts'
import type { Lookup } from '../webhooks/lookup.ts'
import type { Arguments } from './arguments.ts'
import { guardPassword } from './wrong-passwords.ts'

/*
 * A door: operations in the form of another gateway, for clients that were written for it. A user name is the app id of
 * an account, a password is one of its API keys. Permissions, addresses and limits of the key hold as everywhere.
 */

/** The dependencies of all doors. */
export interface DoorParts {
  pool: Pool
  shares: ConnectionShares
  authenticate: Authenticate
  rates: RequestRates
  sending: { accept: Accept; routing: Routing; readPaces: ReadPaces; linkUrl: SendContext['linkUrl'] }
  /** The rules of addresses that customers choose. */
  targets: { allowPrivate: boolean; lookup: Lookup }
}

/** One operation of a door. */
export interface DoorRoute {
  /** For the log, the metrics and the audit trail. */
  id: string
  methods: ('GET' | 'POST')[]
  path: string
  /** Undefined for a route that is open to everybody. */
  permission: Permission | undefined
  readArguments(request: FastifyRequest): Arguments
  /** Refuses what is wrong with the arguments and must be told before a wrong password. */
  check?(given: Arguments): void
  /** The names of the two arguments, in the order in which they are looked for. */
  credentials: { username: readonly string[]; password: readonly string[] }
  handle(request: DoorRequest): Promise<DoorAnswer>
  /** The refusal in the words of the other gateway. */
  refuse(refusal: Refusal, given: Arguments | undefined): DoorAnswer
}

export interface DoorRequest {
  given: Arguments
  caller: Caller
  author: Author
}

export interface DoorAnswer {
  status: number
  body: string
  type: 'text/plain' | 'application/json'
}

export interface Door {
  name: DoorName
  routes(parts: DoorParts): DoorRoute[]
}

/** Finds the account of a user name and a password, which may do what the route does. */
export async function findDoorCaller(
  { pool, authenticate, rates }: DoorParts,
  { permission, credentials }: DoorRoute,
  { given, address, reply }: { given: Arguments; address: string; reply: FastifyReply }
): Promise<Caller> {
  const username = given.text(...credentials.username) ?? ''
  const password = given.text(...credentials.password) ?? ''
  if (username === '' || password === '') throw unauthorized()
  const headers = { 'x-app-id': username, 'x-api-key': password }
  const caller = await guardPassword(pool, { username, address }, () => authenticate({ headers, ip: address }))
  const refusal = refusalOf({ permission: permission ?? 'any', isForSetup: false }, caller)
  if (refusal) throw refusal
  const taken = caller.limits.length === 0 ? undefined : rates.take(caller)
  if (taken) reply.headers(taken.headers)
  if (taken?.refusal) throw taken.refusal
  return caller
}

export function authorOf({ id }: DoorRoute, { accountId, keyId }: Caller, address: string): Author {
  return { operation: id, accountId, personId: null, keyId, viewedFrom: null, address }
}

function unauthorized(): Refusal {
  return new Refusal(401, 'unauthorized', 'The credentials are missing or wrong.')
}

/** A refusal whose sentence the other gateway would write just so. */
export class DoorRefusal extends Refusal {}

export function rejected(sentence: string): DoorRefusal {
  return new DoorRefusal(400, 'invalid_input', sentence)
}
