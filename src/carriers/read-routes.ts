import { type Reading, readSettings } from './check-settings.ts'
import { memberOf } from './json-places.ts'
import type { CarrierKind } from './kind.ts'
import { shown, suggestion } from './mistakes.ts'
import { type Channel, matchKey, Route } from './routes.ts'

/** By name. The kind is undefined when the file does not say it. */
export type KnownCarriers = Map<string, { kind: CarrierKind | undefined }>

/** `known` is undefined when there is no list of carriers to hold the names against. */
export function readRoutes(
  readings: Reading[],
  { kinds, known }: { kinds: readonly CarrierKind[]; known: KnownCarriers | undefined }
): Route[] {
  const seen = new Map<string, Reading>()
  return readings.map((reading) => {
    const route = readSettings(Route, reading)
    checkUnique(route, reading, seen)
    checkSenderMatch(route, reading)
    if (known) checkCarriers(route.channel, reading, { kinds, known })
    return route as Route
  })
}

function checkUnique(route: Partial<Route>, reading: Reading, seen: Map<string, Reading>): void {
  const { channel, prefix } = route
  if (channel === undefined || prefix === undefined || MATCHES.some((key) => isWrong(key, route, reading))) return
  const name = `${channel} ${prefix} ${matchKey(route)}`
  const first = seen.get(name)
  if (!first) {
    seen.set(name, reading)
    return
  }
  const place = memberOf(reading.node, 'prefix') ?? reading.node
  const matches = MATCHES.filter((key) => route[key] !== undefined)
  const unique = ['channel', ...matches].join(', ').replace(/, ([^,]*)$/, ' and $1')
  const matched = matches.map((key) => ` and ${key} ${shown(route[key])}`).join('')
  const problem = `must be unique for its ${unique}; ${first.path} on line ${first.node.line} has ${shown(prefix)} for ${channel}${matched} too`
  reading.mistakes.add(place, `${reading.path}.prefix`, problem)
}

const MATCHES = ['account', 'sender', 'category'] as const

/** Whether the file gives this key a bad value, which has its own sentence. */
function isWrong(key: (typeof MATCHES)[number], route: Partial<Route>, { node }: Reading): boolean {
  return route[key] === undefined && memberOf(node, key) !== undefined
}

/** An RCS has no sender but its agent, and the carriers of a route are its agents. */
function checkSenderMatch({ channel, sender }: Partial<Route>, { node, path, mistakes }: Reading): void {
  const place = memberOf(node, 'sender')
  if (channel !== 'rcs' || sender === undefined || !place) return
  mistakes.add(place, `${path}.sender`, 'must not be given for rcs: the sender of an RCS is the agent of its carrier')
}

function checkCarriers(
  channel: Channel | undefined,
  { node, path, mistakes }: Reading,
  { kinds, known }: { kinds: readonly CarrierKind[]; known: KnownCarriers }
): void {
  const list = memberOf(node, 'carriers')
  if (list?.kind !== 'array') return
  const names = new Set<string>()
  for (const [index, item] of list.items.entries()) {
    if (item.kind !== 'scalar' || typeof item.value !== 'string') continue
    const name = item.value
    const place = `${path}.carriers[${index}]`
    const carrier = known.get(name)
    if (names.has(name)) mistakes.add(item, place, `repeats ${shown(name)}`)
    else if (!carrier) {
      const problem = () => `names no carrier of this file${suggestion(name, [...known.keys()])}; it is ${shown(name)}`
      mistakes.add(item, place, problem)
    } else if (channel && carrier.kind && !carrier.kind.channels.includes(channel)) {
      const serving = kinds.filter(({ channels }) => channels.includes(channel)).map((kind) => kind.name)
      const wanted = `must name a carrier of type ${serving.join(' or ')}, for ${channel}`
      const problem = `${wanted}; ${shown(name)} is of type ${carrier.kind.name}`
      mistakes.add(item, place, problem)
    }
    names.add(name)
  }
}
