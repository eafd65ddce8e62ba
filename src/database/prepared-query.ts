import type { Writable } from 'node:stream'
import pg from 'pg'
import type { Parameter } from './parameters.ts'
import type { Row } from './sql.ts'
import { TYPES } from './types.ts'

/*
 * A prepared statement of node-postgres. The first run on a connection is its own: it parses the statement, and asks for
 * the columns of its rows. The server refuses a statement whose columns have changed since, so later runs do not ask
 * again: they are one buffer, and their rows are read with the columns of the first run.
 */

/** The columns of the rows of a statement. */
interface Columns {
  names: readonly string[]
  parsers: readonly ((text: string) => unknown)[]
}

/** The columns of the statements that ran on a connection, by their names. */
export type KnownColumns = Map<string, Columns>

const NO_COLUMNS: Columns = { names: [], parsers: [] }

export interface PreparedStatement {
  name: string
  text: string
  values: readonly Parameter[]
}

type Answered = (error: Error | null, answer: { rows: Row[]; rowCount: number }) => void

/** The parts of node-postgres's query that its types leave out. A client that pipelines takes no other class. */
interface BaseQuery {
  submit(connection: Wire): Error | null
  hasBeenParsed(connection: Wire): boolean
}

interface Wire {
  readonly stream: Writable
}

const BaseQuery = pg.Query as unknown as new (text: string, values: readonly Parameter[]) => BaseQuery

export class PreparedQuery extends BaseQuery {
  readonly name: string
  readonly #values: readonly Parameter[]
  readonly #known: KnownColumns
  readonly #answered: Answered
  #columns: Columns | undefined
  readonly #rows: Row[] = []
  #rowCount = 0
  /** The error of a value that can't be read. The answer is read to its end nevertheless. */
  #unreadable: Error | undefined

  constructor({ name, text, values }: PreparedStatement, known: KnownColumns, answered: Answered) {
    super(text, values)
    this.name = name
    this.#values = values
    this.#known = known
    this.#answered = answered
  }

  // The other methods are called by node-postgres.

  override submit(connection: Wire): Error | null {
    this.#columns = this.hasBeenParsed(connection) ? this.#known.get(this.name) : undefined
    if (!this.#columns) return super.submit(connection)
    if (connection.stream.writable) connection.stream.write(toExecution(this.name, this.#values))
    return null
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => TYPES.getTypeParser(dataTypeID) as (text: string) => unknown)
    }
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#unreadable) return
    try {
      this.#rows.push(toRow(this.#columns ?? NO_COLUMNS, fields))
    } catch (error) {
      this.#unreadable = error as Error
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    // Such as `INSERT 0 3`. Some commands, such as `SET`, count nothing.
    this.#rowCount = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0
  }

  handleReadyForQuery(): void {
    if (!this.#known.has(this.name)) this.#known.set(this.name, this.#columns ?? NO_COLUMNS)
    this.#answered(this.#unreadable ?? null, { rows: this.#rows, rowCount: this.#rowCount })
  }

  handleError(error: Error): void {
    this.#answered(this.#unreadable ?? error, { rows: [], rowCount: 0 })
  }
}

function toRow({ names, parsers }: Columns, fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let index = 0; index < names.length; index++) {
    const text = fields[index] as string | null
    row[names[index] as string] = text === null ? null : parsers[index]?.(text)
  }
  return row
}

const TEXT_FORMAT = 0
const BINARY_FORMAT = 1
const NULL_LENGTH = -1
/** A Bind without name and values. */
const BIND_BYTES = 13
/** Of each value: its format and its length. */
const VALUE_BYTES = 6
/** Execute of the portal without a name, for all its rows; Sync. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])

/**
 * The messages Bind, Execute and Sync in one buffer. They use the portal without a name, and all rows come as text.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
function toExecution(name: string, values: readonly Parameter[]): Buffer {
  const lengths = values.map(byteLength)
  let size = BIND_BYTES + Buffer.byteLength(name) + VALUE_BYTES * values.length
  for (const length of lengths) size += Math.max(0, length)
  const buffer = Buffer.allocUnsafe(size + EXECUTE_AND_SYNC.length)
  let at = buffer.write('B', 0)
  // The length counts itself, and not the letter before it.
  at = buffer.writeInt32BE(size - 1, at)
  at = buffer.writeUInt8(0, at)
  at += buffer.write(name, at)
  at = buffer.writeUInt8(0, at)
  at = buffer.writeUInt16BE(values.length, at)
  for (const value of values) at = buffer.writeInt16BE(value instanceof Uint8Array ? BINARY_FORMAT : TEXT_FORMAT, at)
  at = buffer.writeUInt16BE(values.length, at)
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as Parameter
    at = buffer.writeInt32BE(lengths[index] as number, at)
    if (typeof value === 'string') at += buffer.write(value, at)
    else if (value !== null) {
      buffer.set(value, at)
      at += value.length
    }
  }
  at = buffer.writeInt16BE(0, at)
  buffer.set(EXECUTE_AND_SYNC, at)
  return buffer
}

function byteLength(value: Parameter): number {
  if (value === null) return NULL_LENGTH
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length
}
