import jsonc from 'jsonc-parser'

/*
 * JSON.parse says neither where a value stands nor that a key was written twice, and an operator with a file of 300
 * lines needs both. The package jsonc-parser tells the places; it forgives a lot, so its first complaint ends the
 * reading, and JSON.parse has the last word.
 */

/** Both from 1; a column counts UTF-16 units. */
export interface Place {
  line: number
  column: number
}

export type JsonNode = Place &
  (
    | { kind: 'object'; members: Map<string, JsonMember> }
    | { kind: 'array'; items: JsonNode[] }
    | { kind: 'scalar'; value: string | number | boolean | null }
  )

export interface JsonMember {
  key: Place
  node: JsonNode
}

/** A key that its object had already; the later one counts, as with JSON.parse. */
export interface RepeatedKey extends Place {
  path: string
  firstLine: number
}

/** The text is no JSON. It never quotes the text: what stands at the place may be half a password. */
export class JsonMistake extends Error {
  readonly place: Place

  constructor(place: Place, sentence: string) {
    super(sentence)
    this.name = 'JsonMistake'
    this.place = place
  }
}

/** The parser goes as deep into the stack as the text does. A carriers file has four levels. */
const DEPTH_MAX = 32

/** Throws a JsonMistake at the first place that is no JSON. */
export function parseJsonWithPlaces(text: string): { root: JsonNode; repeated: RepeatedKey[] } {
  const reader = new Reader(text)
  jsonc.visit(text, reader.visitor, { disallowComments: true, allowTrailingComma: false })
  const { root, repeated } = reader
  if (root === undefined || !isJson(text)) throw new JsonMistake({ line: 1, column: 1 }, 'this is no JSON')
  return { root, repeated }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // Its message would quote the text.
  }
}

/** The plain value, as JSON.parse would give it. */
export function toValue(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.items.map(toValue)
  // Not by assignment: a key `__proto__` must become a property like any other.
  return Object.fromEntries([...node.members].map(([key, member]) => [key, toValue(member.node)]))
}

/** The value of a key; undefined if there is none, or no object to look in. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === 'object' ? node.members.get(key)?.node : undefined
}

/** The same, if it is a string. */
export function textAt(node: JsonNode | undefined, key: string): (Place & { value: string }) | undefined {
  const member = memberOf(node, key)
  if (member?.kind !== 'scalar' || typeof member.value !== 'string') return undefined
  return { line: member.line, column: member.column, value: member.value }
}

/** `carriers[0]` and `port` make `carriers[0].port`; a key that is no plain word is shown in quotes. */
export function pathTo(path: string, key: string): string {
  if (!PLAIN_KEY.test(key)) return `${path}[${JSON.stringify(key.slice(0, KEY_SHOWN_MAX))}]`
  return path === '' ? key : `${path}.${key}`
}

const PLAIN_KEY = /^\w{1,64}$/
const KEY_SHOWN_MAX = 64

/** What may stand at a place. */
type Expected = 'value' | 'key' | 'colon' | 'comma' | 'end'

/** An object or a list that is not closed yet. */
interface Open {
  node: Extract<JsonNode, { kind: 'object' | 'array' }>
  path: string
  /** The key whose value comes next. */
  key: (Place & { name: string }) | undefined
}

class Reader {
  root: JsonNode | undefined
  readonly repeated: RepeatedKey[] = []
  readonly visitor: jsonc.JSONVisitor
  readonly #text: string
  readonly #open: Open[] = []
  #expected: Expected = 'value'
  #comma: { at: number; place: Place } | undefined

  constructor(text: string) {
    this.#text = text
    this.visitor = {
      onObjectBegin: (_at, _length, line, column) =>
        this.#begin({ ...toPlace(line, column), kind: 'object', members: new Map() }),
      onArrayBegin: (_at, _length, line, column) => this.#begin({ ...toPlace(line, column), kind: 'array', items: [] }),
      onObjectProperty: (name, _at, _length, line, column) => this.#onKey(name, toPlace(line, column)),
      onLiteralValue: (value, _at, _length, line, column) =>
        this.#add({ ...toPlace(line, column), kind: 'scalar', value }),
      onObjectEnd: (at) => this.#end(at, '}'),
      onArrayEnd: (at) => this.#end(at, ']'),
      onSeparator: (character, at, _length, line, column) => this.#onSeparator(character, at, toPlace(line, column)),
      onError: (code, at, length, line, column) => {
        throw this.#mistakeAt(code, { at, length, place: toPlace(line, column) })
      }
    }
  }

  #begin(node: Open['node']): void {
    if (this.#open.length >= DEPTH_MAX) {
      throw new JsonMistake(node, `brackets must not be nested more than ${DEPTH_MAX} deep`)
    }
    const path = this.#add(node)
    this.#open.push({ node, path, key: undefined })
    this.#expected = node.kind === 'object' ? 'key' : 'value'
  }

  /** The parser also ends what the text does not close, before it complains. */
  #end(at: number, bracket: string): void {
    if (this.#text[at] !== bracket) return
    this.#open.pop()
    this.#expected = this.#open.length === 0 ? 'end' : 'comma'
  }

  /** Puts a value where it belongs; tells its path. */
  #add(node: JsonNode): string {
    const open = this.#open.at(-1)
    this.#expected = open ? 'comma' : 'end'
    if (!open) {
      this.root = node
      return ''
    }
    if (open.node.kind === 'array') return `${open.path}[${open.node.items.push(node) - 1}]`
    const { name, line, column } = open.key ?? { name: '', line: node.line, column: node.column }
    const path = pathTo(open.path, name)
    open.node.members.set(name, { key: { line, column }, node })
    return path
  }

  #onKey(name: string, place: Place): void {
    const open = this.#open.at(-1)
    if (open?.node.kind !== 'object') return
    const first = open.node.members.get(name)
    if (first) this.repeated.push({ ...place, path: pathTo(open.path, name), firstLine: first.key.line })
    open.key = { name, ...place }
    this.#expected = 'colon'
  }

  #onSeparator(character: string, at: number, place: Place): void {
    if (character === ',') this.#comma = { at, place }
    const isInObject = this.#open.at(-1)?.node.kind === 'object'
    this.#expected = character === ',' && isInObject ? 'key' : 'value'
  }

  #mistakeAt(code: number, token: { at: number; length: number; place: Place }): JsonMistake {
    const { at, length, place } = token
    const inString = STRING_MISTAKES[code]
    if (inString) {
      const shift = inString.isInside ? (VALID_CHARACTERS.exec(this.#text.slice(at, at + length))?.[0].length ?? 0) : 0
      return new JsonMistake({ ...place, column: place.column + shift }, inString.sentence)
    }
    const character = this.#text[at]
    const isClosing = character === '}' || character === ']'
    if (isClosing && this.#comma && this.#text.slice(this.#comma.at + 1, at).trim() === '') {
      return new JsonMistake(this.#comma.place, `there is a comma too many before the ${character}`)
    }
    return new JsonMistake(place, explain(character, this.#sentence()))
  }

  #sentence(): string {
    switch (this.#expected) {
      case 'value':
        return 'a value must stand here'
      case 'key':
        return 'a key in double quotes must stand here'
      case 'colon':
        return 'a colon must follow the key'
      case 'comma':
        return `a comma or ${this.#open.at(-1)?.node.kind === 'object' ? '}' : ']'} must stand here`
      case 'end':
        return 'nothing may follow the end of the JSON'
      default:
        return this.#expected satisfies never
    }
  }
}

/** The package counts lines and columns from 0. */
function toPlace(line: number, column: number): Place {
  return { line: line + 1, column: column + 1 }
}

/** By the codes of ParseErrorCode, which the package declares as a const enum: it exists for its compiler only. */
const STRING_MISTAKES: Readonly<Record<number, { sentence: string; isInside: boolean }>> = {
  12: { sentence: 'the string that begins here is not closed on its line', isInside: false },
  14: { sentence: 'four hexadecimal digits must follow \\u', isInside: true },
  15: { sentence: 'there is no such escape; a backslash itself is written \\\\', isInside: true },
  16: { sentence: 'a control character in a string must be written as an escape, a tab as \\t', isInside: true }
}

/** The beginning of a string up to its first mistake. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const VALID_CHARACTERS = /^"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*/

/** Adds the mistakes of people who know JavaScript, or who stopped half way. */
function explain(character: string | undefined, expected: string): string {
  if (character === undefined) return `the text ends too early: ${expected}`
  if (character === '/' || character === '#') return `JSON has no comments: ${expected}`
  if (character === "'") return `strings stand in double quotes: ${expected}`
  return expected
}
