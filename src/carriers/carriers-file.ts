import { dirname } from 'node:path'
import Type from 'typebox'
import { type Reading, readSettings } from './check-settings.ts'
import { JsonMistake, type JsonNode, parseJsonWithPlaces } from './json-places.ts'
import type { CarrierKind, ConfiguredCarrier } from './kind.ts'
import { CARRIER_KINDS } from './kinds.ts'
import { CarriersFileMistakes, Mistakes } from './mistakes.ts'
import { readText } from './named-files.ts'
import { readCarrier } from './read-carrier.ts'
import { type KnownCarriers, readRoutes } from './read-routes.ts'
import type { Route } from './routes.ts'

export type { Route } from './routes.ts'

/** The carriers file, with every default filled in and the files that it names read. */
export interface CarriersFile {
  /** In the order of their kinds. */
  carriers: ConfiguredCarrier[]
  routes: Route[]
}

/** Throws CarriersFileMistakes, at start and at every reload alike: the caller decides what follows. */
export function readCarriersFile(path: string, kinds: readonly CarrierKind[] = CARRIER_KINDS): CarriersFile {
  const read = readText(path)
  if ('problem' in read) throw new CarriersFileMistakes([`${path} ${read.problem}.`])
  return parseCarriersFile(read.text, { path, folder: dirname(path), kinds })
}

/** `path` is what sentences call the file; the paths in it are relative to `folder`. */
export function parseCarriersFile(
  text: string,
  { path, folder, kinds = CARRIER_KINDS }: { path: string; folder: string; kinds?: readonly CarrierKind[] }
): CarriersFile {
  const mistakes = new Mistakes(path)
  const root = parse(text, { path, mistakes })
  const lists = readSettings(Lists, { node: root, path: '', mistakes })
  const carriers = lists.carriers && readCarriers(itemsOf(root, 'carriers', mistakes), { kinds, folder })
  const routes = lists.routes && readRoutes(itemsOf(root, 'routes', mistakes), { kinds, known: carriers?.known })
  mistakes.throwIfAny()
  const inOrder = kinds.flatMap((kind) => carriers?.read.filter((carrier) => carrier.kind === kind) ?? [])
  return { carriers: inOrder, routes: routes ?? [] }
}

/** More are not looked into: their mistakes would take as long to find as to read. */
const CARRIERS_MAX = 1000
const ROUTES_MAX = 10_000

const Lists = Type.Object({
  carriers: Type.Array(Type.Unknown(), { minItems: 1, maxItems: CARRIERS_MAX }),
  routes: Type.Array(Type.Unknown(), { minItems: 1, maxItems: ROUTES_MAX })
})

function parse(text: string, { path, mistakes }: { path: string; mistakes: Mistakes }): JsonNode {
  try {
    const { root, repeated } = parseJsonWithPlaces(text)
    for (const key of repeated) mistakes.add(key, key.path, `is written twice, first on line ${key.firstLine}`)
    return root
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error
    const { line, column } = error.place
    throw new CarriersFileMistakes([`${path}, line ${line}, column ${column}: ${error.message}.`])
  }
}

function itemsOf(root: JsonNode, key: string, mistakes: Mistakes): Reading[] {
  const list = root.kind === 'object' ? root.members.get(key)?.node : undefined
  if (list?.kind !== 'array') return []
  return list.items.map((node, index) => ({ node, path: `${key}[${index}]`, mistakes }))
}

function readCarriers(
  readings: Reading[],
  options: { kinds: readonly CarrierKind[]; folder: string }
): { read: ConfiguredCarrier[]; known: KnownCarriers } {
  const read: ConfiguredCarrier[] = []
  const known: KnownCarriers = new Map()
  // A name is taken as it is written. Two that differ only in capitals would be mistaken for each other by a reader.
  const namesakes = new Map<string, { name: string; path: string; line: number }>()
  for (const reading of readings) {
    const { name, kind, carrier } = readCarrier(reading, options)
    if (carrier) read.push(carrier)
    if (name === undefined) continue
    const namesake = namesakes.get(name.value.toLowerCase())
    if (namesake) {
      const { path, line } = namesake
      const how = namesake.name === name.value ? 'too' : 'and only capitals differ'
      const problem = `must be unique; ${path} on line ${line} is called ${JSON.stringify(namesake.name)} ${how}`
      reading.mistakes.add(name, `${reading.path}.name`, problem)
    } else {
      namesakes.set(name.value.toLowerCase(), { name: name.value, path: reading.path, line: name.line })
      known.set(name.value, { kind })
    }
  }
  return { read, known }
}
