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
    const { tryNextOn: given, ...rest } = route
    checkTries(route, reading)
    const tryNextOn = given && readStatuses({ ...rest, tryNextOn: given }, reading, known)
    return { ...rest, ...(tryNextOn && { tryNextOn }) } as Route
  })
}

function checkUnique(route: GivenRoute, reading: Reading, seen: Map<string, Reading>): void {
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
function isWrong(key: (typeof MATCHES)[number], route: GivenRoute, { node }: Reading): boolean {
  return route[key] === undefined && memberOf(node, key) !== undefined
}

/** An RCS has no sender but its agent, and the carriers of a route are its agents. */
function checkSenderMatch({ channel, sender }: GivenRoute, { node, path, mistakes }: Reading): void {
  const place = memberOf(node, 'sender')
  if (channel !== 'rcs' || sender === undefined || !place) return
  mistakes.add(place, `${path}.sender`, 'must not be given for rcs: the sender of an RCS is the agent of its carrier')
}

type GivenRoute = ReturnType<typeof readSettings<typeof Route>>

/** Only an SMS route with a second carrier has a next one to try. */
function checkTries({ channel, carriers, tryNextOn, triesMax }: GivenRoute, { node, path, mistakes }: Reading): void {
  const place = memberOf(node, 'tryNextOn')
  const problem =
    channel === 'rcs'
      ? 'must not be given for rcs: an RCS that is refused falls back to SMS'
      : carriers && carriers.length < 2
        ? 'needs a second carrier on the route'
        : undefined
  if (place && tryNextOn && problem !== undefined) mistakes.add(place, `${path}.tryNextOn`, problem)
  const triesPlace = memberOf(node, 'triesMax')
  if (triesPlace && triesMax !== undefined && !place) {
    mistakes.add(triesPlace, `${path}.triesMax`, 'needs tryNextOn beside it: the statuses after which to try again')
  }
}

/** The statuses as the outcomes of the route's carriers name them. Each kind reads them in its own way. */
function readStatuses(
  { carriers = [], tryNextOn = [] }: GivenRoute,
  { node, path, mistakes }: Reading,
  known: KnownCarriers | undefined
): string[] {
  const kinds = [...new Set(carriers.flatMap((name) => known?.get(name)?.kind ?? []))]
  if (kinds.length === 0) return []
  const list = memberOf(node, 'tryNextOn')
  const statuses = tryNextOn.flatMap((status, index) => {
    const read = isStatus(status) ? kinds.flatMap((kind) => readStatus(kind, status)) : []
    const place = list?.kind === 'array' ? list.items[index] : undefined
    if (read.length === 0 && place) {
      const problem = `must be a status that a carrier of this route answers with, such as ESME_RINVDSTADR or 11; it is ${shown(status)}`
      mistakes.add(place, `${path}.tryNextOn[${index}]`, problem)
    }
    return read
  })
  return [...new Set(statuses)]
}

const STATUS_LENGTH_MAX = 64

function isStatus(status: unknown): status is string | number {
  return typeof status === 'string' ? status !== '' && status.length <= STATUS_LENGTH_MAX : Number.isInteger(status)
}

function readStatus(kind: CarrierKind, status: string | number): string[] {
  const read = kind.readStatus ? kind.readStatus(status) : String(status)
  return read === undefined ? [] : [read]
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
