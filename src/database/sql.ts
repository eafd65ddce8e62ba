import type { Writable } from 'node:stream'
import { Json, type Parameter, toParameter } from './parameters.ts'

/*
 * SQL as a tagged template. Values become parameters, a template inside another becomes a part of it, and a statement
 * runs when it is awaited. The tag is our own: node-postgres has none, and no package adds one with parts and COPY.
 */

// biome-ignore lint/suspicious/noExplicitAny: the author of a statement knows its columns; this file does not.
export type Row = Record<string, any>

/** The rows that a statement answers, and how many it read or changed. */
export type Rows<T extends readonly unknown[] = Row[]> = T & { readonly count: number }

/** The values that a template takes. An object must be marked: `sql.json(object)`. */
export type Value = string | number | boolean | Date | Uint8Array | null | readonly Value[] | Json | Part

/** A statement, or a part of one. */
export interface Query<T = unknown> extends Promise<T>, Part {
  /** Runs the statement now, not when it is awaited. */
  execute(): Promise<T>
  /** The stream that takes the rows of `copy … from stdin`. */
  writable(): Promise<Writable>
}

/**
 * The first argument of every store function: the pool or a transaction. The caller decides; a store opens none itself.
 */
export interface Sql {
  <T extends readonly unknown[] = Row[]>(strings: TemplateStringsArray, ...values: readonly Value[]): Query<Rows<T>>
  /** A name, or names with commas between them. After `in`, a list of values. */
  (names: string | readonly (string | number)[]): Part
  /** After `set`, the assignments; elsewhere, the columns and values of an insert. */
  (columns: Readonly<Record<string, Value>>): Part
  json(value: unknown): Json
  /** Runs a text that contains nothing a customer wrote. Without parameters, the text may hold several statements. */
  unsafe<T extends readonly unknown[] = Row[]>(
    text: string,
    parameters?: readonly Value[],
    options?: { prepare: boolean }
  ): Promise<Rows<T>>
}

/** A text with its parameters, ready for the server. */
export interface Statement {
  text: string
  values: Parameter[]
  /** Whether the server keeps the parsed statement under a name. */
  isPrepared: boolean
}

/** Runs statements: a pool on any of its connections, a transaction on its own. */
export interface Runner {
  run(statement: Statement): Promise<Rows>
  copyFrom(text: string): Promise<Writable>
}

/** A piece of SQL that writes itself into a statement. */
export abstract class Part {
  abstract write(draft: Draft): void
}

export function createSql(runner: Runner): Sql {
  const tag = (first: unknown, ...values: Value[]): Query | Part => {
    if (isTemplate(first)) return new Template(runner, first, values)
    if (typeof first === 'string') return new Names([first])
    return Array.isArray(first) ? new Names(first) : new Columns(first as Record<string, Value>)
  }
  return Object.assign(tag, {
    json: (value: unknown) => new Json(value),
    unsafe: (text: string, parameters: readonly Value[] = [], { prepare = false } = {}) =>
      runner.run({ text, values: parameters.map(toParameter), isPrepared: prepare })
  }) as unknown as Sql
}

/** A statement without parameters that is not worth preparing. */
export function plainStatement(text: string): Statement {
  return { text, values: [], isPrepared: false }
}

function isTemplate(value: unknown): value is TemplateStringsArray {
  return Array.isArray(value) && 'raw' in value
}

/** The protocol counts parameters in 16 bits. */
const PARAMETERS_MAX = 65_535

class Draft {
  text = ''
  readonly values: Parameter[] = []

  add(value: Value): void {
    if (value instanceof Part) value.write(this)
    else this.text += `$${this.values.push(toParameter(value))}`
  }

  endsWith(word: RegExp): boolean {
    return word.test(this.text.slice(-20))
  }
}

class Template extends Part implements Query {
  readonly [Symbol.toStringTag] = 'Query'
  readonly #runner: Runner
  readonly #strings: TemplateStringsArray
  readonly #values: readonly Value[]
  #running: Promise<never> | undefined

  constructor(runner: Runner, strings: TemplateStringsArray, values: readonly Value[]) {
    super()
    this.#runner = runner
    this.#strings = strings
    this.#values = values
  }

  write(draft: Draft): void {
    for (let index = 0; index < this.#strings.length; index++) {
      draft.text += this.#strings[index]
      if (index < this.#values.length) draft.add(this.#values[index] as Value)
    }
  }

  execute(): Promise<never> {
    this.#running ??= this.#run()
    return this.#running
  }

  async writable(): Promise<Writable> {
    return this.#runner.copyFrom(this.#compile().text)
  }

  // biome-ignore lint/suspicious/noThenProperty: a statement runs when it is awaited.
  then<A = never, B = never>(
    onFulfilled?: ((rows: never) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.execute().then(onFulfilled, onRejected)
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<B> {
    return this.execute().catch(onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<never> {
    return this.execute().finally(onFinally)
  }

  async #run(): Promise<never> {
    return (await this.#runner.run(this.#compile())) as never
  }

  #compile(): Statement {
    const { text, values } = this.#values.some(isPart) ? this.#draft() : this.#plain()
    if (values.length > PARAMETERS_MAX) {
      throw new RangeError(`A statement has ${values.length} parameters; PostgreSQL takes ${PARAMETERS_MAX}.`)
    }
    return { text, values, isPrepared: true }
  }

  #draft(): Draft {
    const draft = new Draft()
    this.write(draft)
    return draft
  }

  /** Without parts, a template has the same text each time. The name of a text is found faster by the same string. */
  #plain(): { text: string; values: Parameter[] } {
    const text = plainTexts.get(this.#strings) ?? this.#draft().text
    plainTexts.set(this.#strings, text)
    return { text, values: this.#values.map(toParameter) }
  }
}

const plainTexts = new WeakMap<TemplateStringsArray, string>()

function isPart(value: Value): boolean {
  return value instanceof Part
}

class Names extends Part {
  readonly #names: readonly (string | number)[]

  constructor(names: readonly (string | number)[]) {
    super()
    this.#names = names
  }

  write(draft: Draft): void {
    if (draft.endsWith(/\bin\s*$/i)) this.#writeValues(draft)
    else draft.text += this.#names.map((name) => quoteName(String(name))).join(', ')
  }

  #writeValues(draft: Draft): void {
    draft.text += '('
    for (const [index, value] of this.#names.entries()) {
      if (index > 0) draft.text += ', '
      draft.add(value)
    }
    // PostgreSQL knows no empty list; nothing equals null.
    draft.text += this.#names.length === 0 ? 'null)' : ')'
  }
}

class Columns extends Part {
  readonly #columns: Readonly<Record<string, Value>>

  constructor(columns: Readonly<Record<string, Value>>) {
    super()
    this.#columns = columns
  }

  write(draft: Draft): void {
    const columns = Object.entries(this.#columns).map(([name, value]) => ({ name: quoteName(name), value }))
    const isSet = draft.endsWith(/\bset\s*$/i)
    if (!isSet) draft.text += `(${columns.map(({ name }) => name).join(', ')}) values (`
    for (const [index, { name, value }] of columns.entries()) {
      if (index > 0) draft.text += ', '
      if (isSet) draft.text += `${name} = `
      draft.add(value)
    }
    if (!isSet) draft.text += ')'
  }
}

/** `schema.tableName` → `"schema"."table_name"` */
function quoteName(name: string): string {
  return `"${toSnake(name).replaceAll('"', '""').replaceAll('.', '"."')}"`
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
