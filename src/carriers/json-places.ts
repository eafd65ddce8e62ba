/*
 * JSON.parse tells neither where a value stands nor that a key was written twice, and an operator with a file of 300
 * lines needs both. This reads the same language (RFC 8259; tests hold it against JSON.parse) and remembers the line
 * and column of everything.
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

/** Reading goes as deep into the stack as the text does. What we read has four levels. */
const DEPTH_MAX = 32

interface Cursor {
  readonly text: string
  at: number
  line: number
  lineStart: number
  readonly repeated: RepeatedKey[]
}

/** Throws a JsonMistake at the first place that is no JSON. */
export function parseJsonWithPlaces(text: string): { root: JsonNode; repeated: RepeatedKey[] } {
  const cursor: Cursor = { text, at: 0, line: 1, lineStart: 0, repeated: [] }
  skipSpace(cursor)
  const root = readValue(cursor, '', 1)
  skipSpace(cursor)
  if (cursor.at < text.length) throw mistake(cursor, 'nothing may follow the end of the JSON')
  return { root, repeated: cursor.repeated }
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

function readValue(cursor: Cursor, path: string, depth: number): JsonNode {
  if (depth > DEPTH_MAX) throw mistake(cursor, `brackets must not be nested more than ${DEPTH_MAX} deep`)
  const place = placeOf(cursor)
  switch (cursor.text[cursor.at]) {
    case '{':
      return { ...place, kind: 'object', members: readMembers(cursor, path, depth) }
    case '[':
      return { ...place, kind: 'array', items: readItems(cursor, path, depth) }
    case '"':
      return { ...place, kind: 'scalar', value: readString(cursor) }
    default:
      return { ...place, kind: 'scalar', value: readWordOrNumber(cursor) }
  }
}

function readMembers(cursor: Cursor, path: string, depth: number): Map<string, JsonMember> {
  const members = new Map<string, JsonMember>()
  cursor.at++
  skipSpace(cursor)
  if (take(cursor, '}')) return members
  for (;;) {
    const key = placeOf(cursor)
    if (cursor.text[cursor.at] !== '"') throw mistake(cursor, explain(cursor, 'a key in double quotes must stand here'))
    const name = readString(cursor)
    const memberPath = pathTo(path, name)
    const first = members.get(name)
    if (first) cursor.repeated.push({ ...key, path: memberPath, firstLine: first.key.line })
    skipSpace(cursor)
    if (!take(cursor, ':')) throw mistake(cursor, explain(cursor, 'a colon must follow the key'))
    skipSpace(cursor)
    members.set(name, { key, node: readValue(cursor, memberPath, depth + 1) })
    if (isLast(cursor, '}')) return members
  }
}

function readItems(cursor: Cursor, path: string, depth: number): JsonNode[] {
  const items: JsonNode[] = []
  cursor.at++
  skipSpace(cursor)
  if (take(cursor, ']')) return items
  for (;;) {
    items.push(readValue(cursor, `${path}[${items.length}]`, depth + 1))
    if (isLast(cursor, ']')) return items
  }
}

/** After a member or an item: takes the bracket that closes, or the comma before the next. */
function isLast(cursor: Cursor, bracket: '}' | ']'): boolean {
  skipSpace(cursor)
  if (take(cursor, bracket)) return true
  const comma = placeOf(cursor)
  if (!take(cursor, ',')) throw mistake(cursor, explain(cursor, `a comma or ${bracket} must stand here`))
  skipSpace(cursor)
  if (cursor.text[cursor.at] === bracket)
    throw new JsonMistake(comma, `there is a comma too many before the ${bracket}`)
  return false
}

const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t'
}

function readString(cursor: Cursor): string {
  const { text } = cursor
  const start = placeOf(cursor)
  let value = ''
  let chunkStart = ++cursor.at
  for (;;) {
    const code = text.charCodeAt(cursor.at)
    if (code === 0x22) {
      value += text.slice(chunkStart, cursor.at++)
      return value
    }
    if (code === 0x5c) {
      value += text.slice(chunkStart, cursor.at) + readEscape(cursor)
      chunkStart = cursor.at
    } else if (Number.isNaN(code) || code === 0x0a || code === 0x0d) {
      throw new JsonMistake(start, 'the string that begins here is not closed on its line')
    } else if (code < 0x20) {
      throw mistake(cursor, 'a control character in a string must be written as an escape, a tab as \\t')
    } else cursor.at++
  }
}

function readEscape(cursor: Cursor): string {
  const letter = cursor.text[cursor.at + 1] ?? ''
  if (letter === 'u') {
    const digits = cursor.text.slice(cursor.at + 2, cursor.at + 6)
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw mistake(cursor, 'four hexadecimal digits must follow \\u')
    cursor.at += 6
    return String.fromCharCode(Number.parseInt(digits, 16))
  }
  const character = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined
  if (character === undefined) throw mistake(cursor, 'there is no such escape; a backslash itself is written \\\\')
  cursor.at += 2
  return character
}

const WORD_OR_NUMBER = /(true|false|null)|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORDS: Record<string, boolean | null> = { true: true, false: false, null: null }

function readWordOrNumber(cursor: Cursor): number | boolean | null {
  WORD_OR_NUMBER.lastIndex = cursor.at
  const match = WORD_OR_NUMBER.exec(cursor.text)
  if (!match) throw mistake(cursor, explain(cursor, 'a value must stand here'))
  cursor.at += match[0].length
  return match[1] === undefined ? Number(match[0]) : (WORDS[match[1]] ?? null)
}

/** The mistakes that people make who know JavaScript, or who stopped half way. */
function explain(cursor: Cursor, expected: string): string {
  const character = cursor.text[cursor.at]
  if (character === undefined) return `the text ends too early: ${expected}`
  if (character === '/' || character === '#') return `JSON has no comments: ${expected}`
  if (character === "'") return `strings stand in double quotes: ${expected}`
  return expected
}

/** A string never holds a line break, so lines are counted here alone. */
function skipSpace(cursor: Cursor): void {
  for (;;) {
    const character = cursor.text[cursor.at]
    if (character === '\n') {
      cursor.line++
      cursor.lineStart = cursor.at + 1
    } else if (character !== ' ' && character !== '\t' && character !== '\r') return
    cursor.at++
  }
}

function take(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.at] !== character) return false
  cursor.at++
  return true
}

function placeOf({ at, line, lineStart }: Cursor): Place {
  return { line, column: at - lineStart + 1 }
}

function mistake(cursor: Cursor, sentence: string): JsonMistake {
  return new JsonMistake(placeOf(cursor), sentence)
}
