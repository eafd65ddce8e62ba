import Type, { type Static } from 'typebox'

/** The carriers of numbers that begin with `prefix`, the preferred one first, for the messages that it matches. */
export const Route = Type.Object(
  {
    channel: Type.Enum(['sms', 'rcs']),
    /** Digits without `+`; empty for all numbers. No country code begins with 0. */
    prefix: Type.String({
      pattern: '^([1-9][0-9]{0,14})?$',
      'x-words': 'empty, or 1 to 15 digits that begin with a country code, without + or 0, such as 33'
    }),
    /** Only messages of this account, or of its sub-accounts. */
    account: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    /** Only SMS with this sender. */
    sender: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9 ._+-]{3,20}$',
        'x-words': 'a sender, such as MYSHOP or 36111'
      })
    ),
    category: Type.Optional(Type.Enum(['transactional', 'marketing'])),
    carriers: Type.Array(Type.String(), { minItems: 1, maxItems: 1000 }),
    /** Statuses with which a carrier refuses an SMS that the next carrier is then asked to send. Absent: none. */
    tryNextOn: Type.Optional(
      // The kinds of its carriers say which statuses there are, and what is wrong with one (read-routes.ts).
      Type.Array(Type.Unsafe<string | number>({}), { minItems: 1, maxItems: 100 })
    ),
    /** How many carriers are asked for one recipient, the first included. Absent: all of them. */
    triesMax: Type.Optional(Type.Integer({ minimum: 2, maximum: 1000 }))
  },
  { additionalProperties: false }
)

/** `tryNextOn` as the outcomes of its carriers name the statuses. */
export type Route = Omit<Static<typeof Route>, 'tryNextOn'> & { tryNextOn?: string[] }
export type Channel = Route['channel']
type Category = NonNullable<Route['category']>

/** What tells a route from all others. */
export type RouteKey = Omit<Route, 'carriers' | 'tryNextOn' | 'triesMax'>

/** What routes match besides the number. */
export interface RoutedMessage {
  accountId: number
  /** Null for an account of its own. */
  parentId: number | null
  category: Category
  /** The sender of the SMS; undefined: the carrier's own, which no route matches. */
  sender: string | undefined
}

/** What a batch waits for. The queue stores its name. */
export type Way =
  | ({ kind: 'route' } & RouteKey)
  /** One SMS carrier, wherever the routes lead: a test of it. */
  | { kind: 'carrier'; carrier: string }
  /** One RCS agent, wherever the routes lead. */
  | { kind: 'agent'; agentId: string }
  /** The carriers of an SMS route that are left, after some refused it. */
  | { kind: 'next'; tried: string[]; route: RouteKey }
  /** No RCS carrier serves the number: the message falls back at once. */
  | { kind: 'no-rcs' }

/** The queue's name of a way: an SMS route begins with its bare prefix, all others with a word. */
export function wayName(way: Way): string {
  switch (way.kind) {
    case 'route':
      return routeName(way)
    case 'carrier':
      return `${CARRIER_WORD}${way.carrier}`
    case 'agent':
      return `${AGENT_WORD}${way.agentId}`
    case 'next':
      return `${NEXT_WORD}${way.tried.join(',')}:${routeName(way.route)}`
    case 'no-rcs':
      return NO_RCS_NAME
    default:
      return way satisfies never
  }
}

export function parseWay(name: string): Way {
  if (name === NO_RCS_NAME) return { kind: 'no-rcs' }
  if (name.startsWith(CARRIER_WORD)) return { kind: 'carrier', carrier: name.slice(CARRIER_WORD.length) }
  if (name.startsWith(AGENT_WORD)) return { kind: 'agent', agentId: name.slice(AGENT_WORD.length) }
  if (name.startsWith(NEXT_WORD)) {
    const [, tried = '', route = ''] = name.match(NEXT_NAME) ?? []
    return { kind: 'next', tried: tried.split(','), route: parseRoute(route) }
  }
  return { kind: 'route', ...parseRoute(name) }
}

function parseRoute(name: string): RouteKey {
  const channel = name.startsWith(RCS_WORD) ? 'rcs' : 'sms'
  const [prefix = '', ...matches] = (channel === 'rcs' ? name.slice(RCS_WORD.length) : name).split(';')
  const key: RouteKey = { channel, prefix }
  for (const match of matches) {
    const [word, value = ''] = match.split('=')
    if (word === 'account') key.account = Number(value)
    else if (word === 'sender') key.sender = value
    else if (word === 'category') key.category = value as Category
  }
  return key
}

/** It stays the same over restarts, and whatever else the carriers file says: batches wait under it. */
export function routeName({ channel, prefix, account, sender, category }: RouteKey): string {
  let name = channel === 'sms' ? prefix : `${RCS_WORD}${prefix}`
  if (account !== undefined) name += `;account=${account}`
  if (sender !== undefined) name += `;sender=${sender}`
  if (category !== undefined) name += `;category=${category}`
  return name
}

/** For people: `RCS to +33, marketing of account 7`. */
export function describeRoute({ channel, prefix, account, sender, category }: RouteKey): string {
  const numbers = prefix === '' ? 'all other numbers' : `+${prefix}`
  const matched = [
    ...(category === undefined ? [] : [category]),
    ...(sender === undefined ? [] : [`from ${sender}`]),
    ...(account === undefined ? [] : [`of account ${account}`])
  ]
  const to = channel === 'sms' ? numbers : `RCS to ${numbers}`
  return matched.length === 0 ? to : `${to} (${matched.join(' ')})`
}

/** What a way of the queue matches, in words. */
export function describeWay(name: string): string {
  const way = parseWay(name)
  switch (way.kind) {
    case 'route':
      return describeRoute(way)
    case 'next':
      return describeRoute(way.route)
    case 'carrier':
      return `test of ${way.carrier}`
    case 'agent':
      return `RCS as ${way.agentId}`
    case 'no-rcs':
      return 'RCS without a carrier'
    default:
      return way satisfies never
  }
}

/** How recipients of a batch on this way are written to. */
export function channelOfWay(way: Way): Channel {
  switch (way.kind) {
    case 'route':
      return way.channel
    case 'carrier':
    case 'next':
      return 'sms'
    case 'agent':
    case 'no-rcs':
      return 'rcs'
    default:
      return way satisfies never
  }
}

const RCS_WORD = 'rcs:'
const CARRIER_WORD = 'carrier:'
const AGENT_WORD = 'agent:'
const NEXT_WORD = 'next:'
/** Names of carriers have neither a comma nor a colon. */
const NEXT_NAME = /^next:([^:]*):(.*)$/
/** Prefixes are digits: no route has this name. */
const NO_RCS_NAME = `${RCS_WORD}none`

/** The route of a number, among the routes that match its message: that with the longest prefix. */
export type RouteOf = (channel: Channel, e164: string) => Route | undefined

/**
 * The routes of a message. Its account counts most, then its sender, then its category, and then the longest prefix. A
 * route for the parent counts for its sub-accounts, after the routes that name the sub-account.
 */
export type RoutesOf = (message: RoutedMessage) => RouteOf

export function createRoutes(routes: readonly Route[]): RoutesOf {
  const groups = new Map<string, RouteOf>()
  for (const [key, ofGroup] of Map.groupBy(routes, matchKey)) groups.set(key, createPrefixes(ofGroup))
  const unmatched = groups.get(matchKey({})) ?? createPrefixes([])
  // Most files match nothing but prefixes: then there is one look-up for all messages.
  if (groups.size === 0 || (groups.size === 1 && groups.has(matchKey({})))) return () => unmatched
  return (message) => {
    const matching = matchesOf(message).flatMap((match) => groups.get(matchKey(match)) ?? [])
    if (matching.length <= 1) return matching[0] ?? unmatched
    return (channel, e164) => {
      for (const routeOf of matching) {
        const route = routeOf(channel, e164)
        if (route) return route
      }
      return undefined
    }
  }
}

/** What a route says of messages. */
type Match = Pick<RouteKey, 'account' | 'sender' | 'category'>

/** The order of precedence, most specific first. */
function matchesOf({ accountId, parentId, sender, category }: RoutedMessage): Match[] {
  const accounts = [{ account: accountId }, ...(parentId === null ? [] : [{ account: parentId }]), {}]
  const senders = [...(sender === undefined ? [] : [{ sender: senderKey(sender) }]), {}]
  const categories = [{ category }, {}]
  return accounts.flatMap((account) =>
    senders.flatMap((sender) => categories.map((category) => ({ ...account, ...sender, ...category })))
  )
}

/** Routes that differ in nothing but channel and prefix have the same. */
export function matchKey({ account, sender, category }: Match): string {
  return `${account ?? ''} ${category ?? ''} ${senderKey(sender ?? '')}`
}

/** A number is the same sender with and without `+`. */
function senderKey(sender: string): string {
  return sender.startsWith('+') ? sender.slice(1) : sender
}

/** Compares routes of one channel: the more specific one comes first. An account's own routes come before its parent's. */
export function compareRoutes(one: RouteKey, other: RouteKey, accountId?: number): number {
  const rankOf = ({ account, sender, category }: RouteKey) =>
    (account === undefined ? 8 : account === accountId ? 0 : 4) +
    (sender === undefined ? 2 : 0) +
    (category === undefined ? 1 : 0)
  return (
    rankOf(one) - rankOf(other) ||
    other.prefix.length - one.prefix.length ||
    (routeName(one) < routeName(other) ? -1 : 1)
  )
}

/** The first thing that keeps a route from a message to this number, by the order of precedence; undefined when it matches. */
export function mismatchOf(
  route: RouteKey,
  e164: string,
  message: RoutedMessage
): 'account' | 'sender' | 'category' | 'prefix' | undefined {
  const { accountId, parentId, sender = '', category } = message
  if (route.account !== undefined && route.account !== accountId && route.account !== parentId) return 'account'
  if (route.sender !== undefined && senderKey(route.sender) !== senderKey(sender)) return 'sender'
  if (route.category !== undefined && route.category !== category) return 'category'
  return e164.startsWith(`+${route.prefix}`) ? undefined : 'prefix'
}

/** Called for every recipient, a million in a row: it walks a tree of digits and allocates nothing. */
function createPrefixes(routes: readonly Route[]): RouteOf {
  const roots: Record<Channel, Branch> = { sms: newBranch(), rcs: newBranch() }
  for (const route of routes) plant(roots[route.channel], route)
  return (channel, e164) => {
    let branch: Branch | undefined = roots[channel]
    let { route } = branch
    for (let at = 1; at < e164.length; at++) {
      branch = branch.next[e164.charCodeAt(at) - DIGIT_ZERO]
      if (!branch) break
      if (branch.route) route = branch.route
    }
    return route
  }
}

/**
 * The route that takes over batches of a removed route: as for a number that is no longer than the removed prefix. Batches
 * of one route may be of different messages.
 */
export function rerouted(
  lost: Pick<Route, 'channel' | 'prefix'>,
  routesOf: RoutesOf,
  message: RoutedMessage = NO_MESSAGE
): Route | undefined {
  return routesOf(message)(lost.channel, `+${lost.prefix}`)
}

/** A message that no route names: no account has this id. */
export const NO_MESSAGE: RoutedMessage = { accountId: 0, parentId: null, category: 'transactional', sender: undefined }

interface Branch {
  route: Route | undefined
  next: (Branch | undefined)[]
}

const DIGIT_ZERO = 0x30

function newBranch(): Branch {
  return { route: undefined, next: new Array(10).fill(undefined) }
}

function plant(root: Branch, route: Route): void {
  let branch = root
  for (const digit of route.prefix) {
    const next = branch.next[Number(digit)] ?? newBranch()
    branch.next[Number(digit)] = next
    branch = next
  }
  branch.route = route
}
