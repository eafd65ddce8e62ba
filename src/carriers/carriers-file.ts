import { dirname } from 'node:path'
import Type from 'typebox'
import { type Reading, readSettings } from './check-settings.ts'
import { JsonMistake, type JsonNode, parseJsonWithPlaces } from './json-places.ts'
import { CarriersFileMistakes, Mistakes } from './mistakes.ts'
import { readText } from './named-files.ts'
import { type ReadCarrier, readCarrier } from './read-carrier.ts'
import { type KnownCarriers, readRoutes } from './read-routes.ts'
import type { Route } from './routes.ts'

export type { Route } from './routes.ts'

/** The carriers file, with every default filled in and the files that it names read. */
export interface CarriersFile {
  smpp: Extract<ReadCarrier, { type: 'smpp' }>[]
  rbm: Extract<ReadCarrier, { type: 'rbm' }>[]
  routes: Route[]
}

/** Throws CarriersFileMistakes, at start and at every reload alike: what to make of them is the caller's business. */
export function readCarriersFile(path: string): CarriersFile {
  const read = readText(path)
  if ('problem' in read) throw new CarriersFileMistakes([`${path} ${read.problem}.`])
  return parseCarriersFile(read.text, { path, folder: dirname(path) })
}

/** `path` is what sentences call the file; the paths in it are relative to `folder`. */
export function parseCarriersFile(text: string, { path, folder }: { path: string; folder: string }): CarriersFile {
  const mistakes = new Mistakes(path)
  const root = parse(text, { path, mistakes })
  const lists = readSettings(Lists, { node: root, path: '', mistakes })
  const carriers = lists.carriers && readCarriers(itemsOf(root, 'carriers', mistakes), folder)
  const routes = lists.routes && readRoutes(itemsOf(root, 'routes', mistakes), carriers?.known)
  mistakes.throwIfAny()
  return {
    smpp: carriers?.read.filter((carrier) => carrier.type === 'smpp') ?? [],
    rbm: carriers?.read.filter((carrier) => carrier.type === 'rbm') ?? [],
    routes: routes ?? []
  }
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

function readCarriers(readings: Reading[], folder: string): { read: ReadCarrier[]; known: KnownCarriers } {
  const read: ReadCarrier[] = []
  const known: KnownCarriers = new Map()
  // A name is taken as it is written. Two that differ only in capitals would be mistaken for each other by a reader.
  const namesakes = new Map<string, { name: string; path: string; line: number }>()
  for (const reading of readings) {
    const { name, type, carrier } = readCarrier(reading, folder)
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
      known.set(name.value, { type })
    }
  }
  return { read, known }
}
