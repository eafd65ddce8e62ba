import Type, { type Static } from 'typebox'

/** The carriers of numbers that begin with `prefix`, the preferred one first. */
export const Route = Type.Object(
  {
    channel: Type.Enum(['sms', 'rcs']),
    /** Digits without `+`; empty for all numbers. No country code begins with 0. */
    prefix: Type.String({
      pattern: '^([1-9][0-9]{0,14})?$',
      'x-words': 'empty, or 1 to 15 digits that begin with a country code, without + or 0, such as 33'
    }),
    carriers: Type.Array(Type.String(), { minItems: 1, maxItems: 1000 })
  },
  { additionalProperties: false }
)

export type Route = Static<typeof Route>
export type Channel = Route['channel']

/** What a batch waits for. The queue stores its name. */
export type Way =
  | ({ kind: 'route' } & Pick<Route, 'channel' | 'prefix'>)
  /** One SMS carrier, wherever the routes lead: a test of it. */
  | { kind: 'carrier'; carrier: string }
  /** No RCS carrier serves the number: the message falls back at once. */
  | { kind: 'no-rcs' }

/** The queue's name of a way: an SMS route is its bare prefix, all others begin with a word. */
export function wayName(way: Way): string {
  switch (way.kind) {
    case 'route':
      return routeName(way)
    case 'carrier':
      return `${CARRIER_WORD}${way.carrier}`
    case 'no-rcs':
      return NO_RCS_NAME
    default:
      return way satisfies never
  }
}

export function parseWay(name: string): Way {
  if (name === NO_RCS_NAME) return { kind: 'no-rcs' }
  if (name.startsWith(CARRIER_WORD)) return { kind: 'carrier', carrier: name.slice(CARRIER_WORD.length) }
  if (name.startsWith(RCS_WORD)) return { kind: 'route', channel: 'rcs', prefix: name.slice(RCS_WORD.length) }
  return { kind: 'route', channel: 'sms', prefix: name }
}

export function routeName({ channel, prefix }: Pick<Route, 'channel' | 'prefix'>): string {
  return channel === 'sms' ? prefix : `${RCS_WORD}${prefix}`
}

/** How recipients of a batch on this way are written to. */
export function channelOfWay(way: Way): Channel {
  switch (way.kind) {
    case 'route':
      return way.channel
    case 'carrier':
      return 'sms'
    case 'no-rcs':
      return 'rcs'
    default:
      return way satisfies never
  }
}

const RCS_WORD = 'rcs:'
const CARRIER_WORD = 'carrier:'
/** Prefixes are digits: no route has this name. */
const NO_RCS_NAME = `${RCS_WORD}none`

/** The route of a number: that with the longest prefix it begins with. */
export type RouteOf = (channel: Channel, e164: string) => Route | undefined

/** Called for every recipient, a million in a row: it walks a tree of digits and allocates nothing. */
export function createRoutes(routes: readonly Route[]): RouteOf {
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

/** The route that takes over the batches of a removed route: the longest prefix that the removed one begins with. */
export function rerouted(lost: Pick<Route, 'channel' | 'prefix'>, routes: readonly Route[]): Route | undefined {
  let longest: Route | undefined
  for (const route of routes) {
    if (route.channel !== lost.channel || !lost.prefix.startsWith(route.prefix)) continue
    if (!longest || route.prefix.length > longest.prefix.length) longest = route
  }
  return longest
}

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
