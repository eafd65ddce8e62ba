import { type Reading, readSettings } from './check-settings.ts'
import { memberOf } from './json-places.ts'
import type { CarrierKind } from './kind.ts'
import { shown, suggestion } from './mistakes.ts'
import { type Channel, Route } from './routes.ts'

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
    if (known) checkCarriers(route.channel, reading, { kinds, known })
    return route as Route
  })
}

function checkUnique({ channel, prefix }: Partial<Route>, reading: Reading, seen: Map<string, Reading>): void {
  if (channel === undefined || prefix === undefined) return
  const first = seen.get(`${channel} ${prefix}`)
  if (!first) {
    seen.set(`${channel} ${prefix}`, reading)
    return
  }
  const place = memberOf(reading.node, 'prefix') ?? reading.node
  const problem = `must be unique for its channel; ${first.path} on line ${first.node.line} has ${shown(prefix)} for ${channel} too`
  reading.mistakes.add(place, `${reading.path}.prefix`, problem)
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
