import { glob, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'

/*
 * Renders our chart as `helm template` would. Helm is a program in Go that most machines lack, and no package of npm has
 * it. So this file knows the part of Go's templates that the chart uses, and refuses anything else.
 */

type Value = unknown
type Scope = { dot: Value; variables: Map<string, Value> }
type Values = Record<string, unknown>

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it looks for
  spec: any
}

/** What the chart makes of its values, with these in place of some. */
export async function renderChart(folder: string, given: Values = {}): Promise<Manifest[]> {
  const chart = parse(await readFile(join(folder, 'Chart.yaml'), 'utf8'))
  const values = merge(parse(await readFile(join(folder, 'values.yaml'), 'utf8')), given)
  const files = (await Array.fromAsync(glob(join(folder, 'templates/*')))).toSorted()
  const renderer = new Renderer()
  const parsed = new Map<string, Node[]>()
  for (const file of files) parsed.set(basename(file), renderer.parse(await readFile(file, 'utf8')))
  const root = {
    Values: values,
    Chart: { Name: chart.name, AppVersion: chart.appVersion, Version: chart.version },
    Release: { Name: 'chappe', Service: 'Helm' }
  }
  return [...parsed].flatMap(([name, nodes]) => {
    const text = renderer.render(nodes, { dot: root, variables: new Map([['$', root]]) })
    if (name.endsWith('.tpl')) return []
    const documents = parseAllDocuments(text, { version: '1.1' })
    if (!Array.isArray(documents)) return []
    return documents.flatMap((document) => {
      if (document.errors.length > 0) throw new Error(`${name}: ${document.errors[0]?.message}\n${text}`)
      return document.toJS() ?? []
    })
  })
}

function merge(base: Values, given: Values): Values {
  const merged = { ...base }
  for (const [key, value] of Object.entries(given)) {
    merged[key] = isMap(value) && isMap(base[key]) ? merge(base[key], value) : value
  }
  return merged
}

const isMap = (value: Value): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'print'; words: string[] }
  | { kind: 'set'; name: string; words: string[] }
  | { kind: 'branch'; word: 'if' | 'with'; cases: { words: string[] | undefined; body: Node[] }[] }
  | { kind: 'range'; key: string | undefined; item: string | undefined; words: string[]; body: Node[] }

const WORD = /"(?:[^"\\]|\\.)*"|:=|[()|,]|[^\s()|,"]+/g

class Renderer {
  readonly #defined = new Map<string, Node[]>()

  parse(text: string): Node[] {
    // A comment, and the space that `{{-` and `-}}` take away.
    const bare = text
      .replaceAll(/\{\{(-?)\s*\/\*[\s\S]*?\*\/\s*(-?)\}\}/g, '{{$1""$2}}')
      .replaceAll(/\s*\{\{- ?/g, '{{')
      .replaceAll(/ ?-\}\}\s*/g, '}}')
    const pieces = bare.split(/\{\{([\s\S]*?)\}\}/)
    const top: Node[] = []
    const open: { body: Node[]; node?: Node; define?: string }[] = [{ body: top }]
    for (const [index, piece] of pieces.entries()) {
      const place = open.at(-1)
      if (!place) throw new Error('{{ end }} without a beginning')
      if (index % 2 === 0) {
        if (piece !== '') place.body.push({ kind: 'text', text: piece })
        continue
      }
      this.#open(piece.match(WORD) ?? [], open, place)
    }
    if (open.length !== 1) throw new Error('{{ end }} is missing')
    return top
  }

  #open(
    words: string[],
    open: { body: Node[]; node?: Node; define?: string }[],
    place: { body: Node[]; node?: Node; define?: string }
  ): void {
    const [first = '', second = '', ...rest] = words
    const add = (node: Node, body: Node[]) => {
      place.body.push(node)
      open.push({ body, node })
    }
    if (first === 'end') {
      if (place.define !== undefined) this.#defined.set(place.define, place.body)
      open.pop()
    } else if (first === 'define') open.push({ body: [], define: JSON.parse(second) })
    else if (first === 'if' || first === 'with') {
      const body: Node[] = []
      add({ kind: 'branch', word: first, cases: [{ words: words.slice(1), body }] }, body)
    } else if (first === 'else') {
      if (place.node?.kind !== 'branch') throw new Error('{{ else }} without an if')
      const body: Node[] = []
      place.node.cases.push({ words: second === 'if' ? rest : undefined, body })
      place.body = body
    } else if (first === 'range') {
      const body: Node[] = []
      const at = words.indexOf(':=')
      const names = at < 0 ? [] : words.slice(1, at).filter((word) => word !== ',')
      const item = names.at(-1)
      const key = names.length > 1 ? names[0] : undefined
      add({ kind: 'range', key, item, words: words.slice(at < 0 ? 1 : at + 1), body }, body)
    } else if (second === ':=') place.body.push({ kind: 'set', name: first, words: rest })
    else place.body.push({ kind: 'print', words })
  }

  render(nodes: Node[], scope: Scope): string {
    const inner = { dot: scope.dot, variables: new Map(scope.variables) }
    return nodes.map((node) => this.#renderNode(node, inner)).join('')
  }

  #renderNode(node: Node, scope: Scope): string {
    if (node.kind === 'text') return node.text
    if (node.kind === 'print') return print(this.#evaluate(node.words, scope))
    if (node.kind === 'set') {
      scope.variables.set(node.name, this.#evaluate(node.words, scope))
      return ''
    }
    if (node.kind === 'branch') {
      for (const { words, body } of node.cases) {
        const value = words === undefined ? true : this.#evaluate(words, scope)
        if (!isTrue(value)) continue
        return this.render(body, node.word === 'with' ? { ...scope, dot: value } : scope)
      }
      return ''
    }
    const over = this.#evaluate(node.words, scope)
    // Go goes through the keys of a map in their order.
    const entries = isMap(over) ? Object.entries(over).toSorted(byKey) : [...((over as Value[]) ?? []).entries()]
    return entries
      .map(([key, value]) => {
        const variables = new Map(scope.variables)
        if (node.key !== undefined) variables.set(node.key, key)
        if (node.item !== undefined) variables.set(node.item, value)
        return this.render(node.body, { dot: value, variables })
      })
      .join('')
  }

  #evaluate(words: string[], scope: Scope): Value {
    const left = [...words]
    const value = this.#pipeline(left, scope)
    if (left.length > 0) throw new Error(`{{ ${words.join(' ')} }} is not understood`)
    return value
  }

  /** Takes its words from the list, up to a closing parenthesis. */
  #pipeline(left: string[], scope: Scope): Value {
    let value: Value
    let isPiped = false
    do {
      const command: { word: string | undefined; value: Value }[] = []
      while (left.length > 0 && left[0] !== '|' && left[0] !== ')') {
        const word = left.shift() as string
        if (word !== '(') command.push({ word, value: undefined })
        else {
          command.push({ word: undefined, value: this.#pipeline(left, scope) })
          left.shift()
        }
      }
      const [head, ...rest] = command
      const read = (part: (typeof command)[number]) =>
        part.word === undefined ? part.value : readWord(part.word, scope)
      if (head?.word !== undefined && /^[a-z]\w*$/i.test(head.word) && !/^(true|false)$/.test(head.word)) {
        const given = rest.map(read)
        value = this.#call(head.word, isPiped ? [...given, value] : given)
      } else if (head && !isPiped && rest.length === 0) value = read(head)
      else throw new Error(`a pipeline is not understood near ${head?.word}`)
      isPiped = true
    } while (left[0] === '|' && left.shift())
    return value
  }

  #call(name: string, given: Value[]): Value {
    const [first, second] = given
    if (name === 'include') {
      const body = this.#defined.get(String(first))
      if (!body) throw new Error(`there is no template ${first}`)
      return this.render(body, { dot: second, variables: new Map([['$', second]]) })
    }
    const call = FUNCTIONS[name]
    if (!call) throw new Error(`the function ${name} is not known here`)
    return call(...given)
  }
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

/** The functions of Go and of Helm that the chart uses. The last argument is the one that a pipe gives. */
// biome-ignore lint/suspicious/noExplicitAny: each function knows what it takes
const FUNCTIONS: Record<string, (...given: any[]) => Value> = {
  and: (...given: Value[]) => given.reduce((left, right) => (isTrue(left) ? right : left)),
  or: (...given: Value[]) => given.reduce((left, right) => (isTrue(left) ? left : right)),
  not: (value: Value) => !isTrue(value),
  eq: (a: Value, b: Value) => a === b,
  gt: (a: number, b: number) => a > b,
  lt: (a: number, b: number) => a < b,
  add: (a: number, b: number) => a + b,
  int: (value: Value) => Math.trunc(Number(value) || 0),
  quote: (value: Value) => (value === undefined || value === null ? '' : JSON.stringify(print(value))),
  default: (fallback: Value, value: Value) => (isTrue(value) ? value : fallback),
  nindent: (spaces: number, text: string) => `\n${text.replaceAll(/^/gm, ' '.repeat(spaces))}`,
  toYaml: (value: Value) => stringify(value, { version: '1.1', sortMapEntries: true }).trimEnd(),
  toJson: (value: Value) => JSON.stringify(value),
  kindIs: (kind: string, value: Value) => kind === kindOf(value),
  fail(message: string) {
    throw new Error(message)
  },
  required(message: string, value: Value) {
    if (value === undefined || value === null || value === '') throw new Error(message)
    return value
  }
}

function kindOf(value: Value): string {
  if (value === undefined || value === null) return 'invalid'
  if (Array.isArray(value)) return 'slice'
  return { boolean: 'bool', number: 'float64', object: 'map' }[typeof value as string] ?? 'string'
}

function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0
  return isMap(value) ? Object.keys(value).length > 0 : Boolean(value)
}

function readWord(word: string, { dot, variables }: Scope): Value {
  if (word.startsWith('"')) return JSON.parse(word)
  if (/^-?\d+$/.test(word)) return Number(word)
  if (word === 'true' || word === 'false') return word === 'true'
  const [name = '', ...path] = word.split('.')
  if (name !== '' && !variables.has(name)) throw new Error(`${word} is not known`)
  let value = name === '' ? dot : variables.get(name)
  for (const key of path.filter((part) => part !== '')) value = (value as Values | undefined)?.[key]
  return value
}

/** As Go prints it: a number of a file is a float64 there, and a large one gets an exponent. */
function print(value: Value): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') throw new Error('a list or a map is printed without toYaml')
  if (typeof value !== 'number' || Math.abs(value) < 1e6) return String(value)
  const [digits = '', exponent = ''] = value.toExponential().split('e+')
  return `${digits}e+${exponent.padStart(2, '0')}`
}
