import Type, { type Static } from 'typebox'
import type { Account } from '../accounts/account.ts'
import { findAccount, findSubAccount } from '../accounts/accounts.store.ts'
import type { Sql } from '../database/database.ts'
import { invalidInput, notFound } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { Nullable } from '../schemas/nullable.ts'
import {
  firstServing,
  RouteView,
  readCarriersNow,
  routeExample,
  routeKeyFields,
  toRouteKeyView,
  toRouteView
} from './route-view.ts'
import { compareRoutes, mismatchOf, type Route, type RoutedMessage } from './routes.ts'
import type { MessageRoutes, RoutingTable } from './routing-table.ts'

/** More would be a list that nobody reads. Routes that match are never left off. */
const CONSIDERED_MAX = 200

const ConsideredRoute = Type.Object(
  {
    ...routeKeyFields,
    is_chosen: Type.Boolean(),
    mismatch: Nullable(
      Type.Enum(['prefix', 'account', 'sender', 'category'], {
        description: 'The first thing that does not match, by the order of precedence; null when all of it does.'
      })
    ),
    reason: Type.String({ description: 'The same as a sentence.' })
  },
  { $id: 'ConsideredRoute' }
)

export const RouteExplanation = Type.Object(
  {
    to: Type.String({ description: 'The number, in E.164.' }),
    channel: Type.Enum(['sms', 'rcs']),
    account_id: Type.Integer(),
    category: Type.Enum(['transactional', 'marketing']),
    sender: Nullable(
      Type.String({ description: 'The sender that was asked for, or the account’s own; null: the carrier’s.' })
    ),
    route: Nullable(RouteView),
    carrier: Nullable(
      Type.String({
        description:
          'The carrier that sends now: the first of the route that is up and not draining. Null: none is, or the account may use none.'
      })
    ),
    is_waiting: Type.Boolean({ description: 'Whether the message waits, because the operator paused that carrier.' }),
    agent: Nullable(Type.String({ description: 'The agent of an RCS.' })),
    reason: Type.String({ description: 'Why, in a sentence.' }),
    considered: Type.Array(ConsideredRoute, { description: 'The routes of the channel, the most specific first.' }),
    left_off: Type.Integer({ description: 'How many routes that do not match are left off.' })
  },
  { $id: 'RouteExplanation' }
)

const Query = Type.Object({
  to: Type.String({ minLength: 1, maxLength: 255, description: 'A phone number, national or international.' }),
  account: Type.Optional(
    Type.Integer({ minimum: 1, maximum: ID_MAX, description: 'The account that writes; the caller’s own by default.' })
  ),
  category: Type.Optional(Type.Enum(['transactional', 'marketing'], { description: 'Default: `transactional`.' })),
  sender: Type.Optional(
    Type.String({ minLength: 1, maxLength: 32, description: 'The sender; the account’s own by default.' })
  ),
  channel: Type.Optional(Type.Enum(['sms', 'rcs'], { description: 'Default: `sms`.' })),
  agent: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'The agent that an RCS names: its id, or its carrier.' })
  )
})

export const explainRoute = (routing: RoutingTable) =>
  operation({
    route: 'GET /routes/explain',
    id: 'explainRoute',
    tag: 'Beyond',
    permission: 'read',
    summary: 'Which route a message takes, and why',
    description:
      'Tells which route and which carrier a message to this number takes now, and why: all routes of the channel, the most specific first, each with what does not match. The operator asks for any account, a parent for its sub-accounts, every account for itself. Only the operator sees costs and the routes of other accounts.',
    query: Query,
    answer: RouteExplanation,
    example: {
      answer: {
        to: '+33639980013',
        channel: 'sms',
        account_id: 7,
        category: 'marketing',
        sender: null,
        route: routeExample,
        carrier: 'main',
        is_waiting: false,
        agent: null,
        reason: 'The most specific of 2 routes that match.',
        considered: [
          {
            ...toRouteKeyView({ channel: 'sms', prefix: '33', account: 7, category: 'marketing' }),
            is_chosen: true,
            mismatch: null,
            reason: 'It matches.'
          },
          {
            ...toRouteKeyView({ channel: 'sms', prefix: '', sender: 'ACME' }),
            is_chosen: false,
            mismatch: 'sender',
            reason: 'It is for the sender ACME.'
          },
          {
            ...toRouteKeyView({ channel: 'sms', prefix: '' }),
            is_chosen: false,
            mismatch: null,
            reason: 'It matches, and a more specific route comes first.'
          }
        ],
        left_off: 0
      }
    },
    refusals: { not_found: 'There is no such account, or it is not the caller’s.' },
    async handle({ caller, query, database }) {
      const account = await findAsked(database, caller, query.account ?? caller.accountId)
      const { channel = 'sms', category = 'transactional' } = query
      const e164 = readNumber(query.to, account)
      const sender = query.sender ?? account.defaultSender ?? undefined
      const agentId = query.agent === undefined ? undefined : routing.agentFor(query.agent, account.id)
      if (query.agent !== undefined && agentId === undefined) throw notFound('agent of this account')
      const message = { accountId: account.id, parentId: account.parentId, category, sender, agentId }
      const now = await readCarriersNow(database, routing)
      const routes = routing.forMessage(message)
      const chosen = routes.find(channel, e164)
      const way = routes.routeOf(channel, e164)
      const carrier = way === undefined ? undefined : firstServing(routing.carriersOf(way), now)
      const { isOperator } = caller
      return {
        to: e164,
        channel,
        account_id: account.id,
        category,
        sender: sender ?? null,
        route: chosen ? toRouteView(chosen, { routing, now, isPriced: isOperator }) : null,
        ...consider(routing, { chosen, e164, message, channel, isOperator }),
        ...(channel === 'rcs' && agentReason(routes, e164, agentId)),
        carrier: carrier ?? null,
        is_waiting: carrier !== undefined && now.pauses.isStopped(carrier),
        agent: (channel === 'rcs' && routes.agentOf(e164)) || null
      }
    }
  })

async function findAsked(sql: Sql, caller: Caller, id: number): Promise<Account> {
  const { accountId, isOperator } = caller
  const account =
    id === accountId || isOperator ? await findAccount(sql, id) : await findSubAccount(sql, { parentId: accountId, id })
  if (!account) throw notFound('account')
  return account
}

/** Where more than the route decides. */
function agentReason(routes: MessageRoutes, e164: string, named: string | undefined): { reason?: string } {
  if (named !== undefined) return { reason: 'The message names its agent, so no route is asked.' }
  return routes.lacksAgent(e164)
    ? { reason: 'The account may use no agent on this route, so the message falls back.' }
    : {}
}

/** A `+` that is not percent-encoded comes as a space. */
function readNumber(to: string, { country }: Account): string {
  const number = parsePhoneNumber(to.replace(/^ (?=\d)/, '+'), country)
  if (!number) throw invalidInput([{ path: 'to', message: 'must be a phone number, such as +33639980013' }])
  return number.e164
}

interface Considered {
  chosen: Route | undefined
  e164: string
  message: RoutedMessage
  channel: Route['channel']
  isOperator: boolean
}

function consider(routing: RoutingTable, { chosen, e164, message, channel, isOperator }: Considered) {
  const { accountId, parentId } = message
  const isTold = ({ account }: Route) =>
    isOperator || account === undefined || account === accountId || account === parentId
  const routes = routing.routes
    .filter((route) => route.channel === channel && isTold(route))
    .sort((one, other) => compareRoutes(one, other, accountId))
    .map((route) => ({ route, mismatch: mismatchOf(route, e164, message) }))
  const matching = routes.filter(({ mismatch }) => mismatch === undefined)
  let room = Math.max(0, CONSIDERED_MAX - matching.length)
  const shown = routes.filter(({ mismatch }) => mismatch === undefined || room-- > 0)
  return {
    reason: reasonOf(matching.length),
    considered: shown.map(({ route, mismatch }) => ({
      ...toRouteKeyView(route),
      is_chosen: route === chosen,
      mismatch: mismatch ?? null,
      reason: sentenceOf(route, { isChosen: route === chosen, mismatch })
    })),
    left_off: routes.length - shown.length
  }
}

function reasonOf(matchingCount: number): string {
  if (matchingCount === 0) return 'No route leads to this number.'
  return matchingCount === 1
    ? 'The only route that matches.'
    : `The most specific of ${matchingCount} routes that match.`
}

type Mismatch = NonNullable<Static<typeof ConsideredRoute>['mismatch']>

const SENTENCES: Record<Mismatch, (route: Route) => string> = {
  prefix: ({ prefix }) => `The number does not begin with +${prefix}.`,
  account: ({ account }) => `It is for account ${account} and its sub-accounts.`,
  sender: ({ sender }) => `It is for the sender ${sender}.`,
  category: ({ category }) => `It is for ${category} messages.`
}

function sentenceOf(
  route: Route,
  { isChosen, mismatch }: { isChosen: boolean; mismatch: Mismatch | undefined }
): string {
  if (mismatch) return SENTENCES[mismatch](route)
  return isChosen ? 'It matches.' : 'It matches, and a more specific route comes first.'
}
