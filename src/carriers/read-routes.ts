import { type Reading, readSettings } from './check-settings.ts'
import { memberOf } from './json-places.ts'
import { shown, suggestion } from './mistakes.ts'
import type { CarrierType } from './read-carrier.ts'
import { type Channel, Route } from './routes.ts'

/** By name. The type is undefined when the file does not say it. */
export type KnownCarriers = Map<string, { type: CarrierType | undefined }>

const TYPE_OF_CHANNEL: Record<Channel, CarrierType> = { sms: 'smpp', rcs: 'rbm' }

/** `known` is undefined when there is no list of carriers to hold the names against. */
export function readRoutes(readings: Reading[], known: KnownCarriers | undefined): Route[] {
  const seen = new Map<string, Reading>()
  return readings.map((reading) => {
    const route = readSettings(Route, reading)
    checkUnique(route, reading, seen)
    if (known) checkCarriers(route.channel, reading, known)
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

function checkCarriers(channel: Channel | undefined, { node, path, mistakes }: Reading, known: KnownCarriers): void {
  const list = memberOf(node, 'carriers')
  if (list?.kind !== 'array') return
  const names = new Set<string>()
  for (const [index, item] of list.items.entries()) {
    if (item.kind !== 'scalar' || typeof item.value !== 'string') continue
    const name = item.value
    const place = `${path}.carriers[${index}]`
    const carrier = known.get(name)
    const wanted = channel && TYPE_OF_CHANNEL[channel]
    if (names.has(name)) mistakes.add(item, place, `repeats ${shown(name)}`)
    else if (!carrier) {
      const problem = () => `names no carrier of this file${suggestion(name, [...known.keys()])}; it is ${shown(name)}`
      mistakes.add(item, place, problem)
    } else if (wanted && carrier.type && carrier.type !== wanted) {
      const problem = `must name a carrier of type ${wanted}, for ${channel}; ${shown(name)} is of type ${carrier.type}`
      mistakes.add(item, place, problem)
    }
    names.add(name)
  }
}
