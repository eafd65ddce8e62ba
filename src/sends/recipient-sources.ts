import { contactFieldOf } from '../contacts/contact-columns.ts'
import { openContactsOfLists, readOpenedContacts } from '../contacts/contact-cursors.store.ts'
import { findList } from '../contacts/contact-lists.store.ts'
import { refuseHalfCommits } from '../database/shape.ts'
import { invalidInput, notFound } from '../errors.ts'
import type { UploadedFile } from '../http/uploaded-file.ts'
import { problemOfText } from '../schemas/unstorable.ts'
import { columnKey } from '../spreadsheets/columns.ts'
import { badFile } from '../spreadsheets/row.ts'
import { openSpreadsheet } from '../spreadsheets/spreadsheet.ts'
import { variableKey } from '../variables/variables.ts'
import { FEW_MAX } from './accept.ts'
import { isOwnName } from './content.ts'
import type { GivenRecipient } from './plan.ts'
import type { RecipientSource } from './recipient-source.ts'
import type { Send } from './send.ts'

/*
 * The sources of recipients. Each gives a number and the values of the send's variables, in their order. An undefined
 * value is a variable that the recipient does not have.
 */

/** Plain numbers. */
export function fromNumbers(numbers: readonly string[], path = 'recipients'): RecipientSource {
  return fromArray(numbers, path, (number) => ({ number, values: [] }))
}

/** Any properties may accompany the number; only the variables of the content are read. */
export type RecipientWithVariables = { recipient: string } & Record<string, unknown>

/** Numbers with variables of their own. */
export function fromObjects(
  objects: readonly RecipientWithVariables[],
  { variables }: Send,
  path = 'recipients'
): RecipientSource {
  const indexes = new Map<string, number>()
  for (const [index, name] of variables.entries()) if (!isOwnName(name)) indexes.set(name, index)
  const spellings: Spellings = new Map()
  return fromArray(objects, path, (object, index) => ({
    number: object.recipient,
    values: findVariables(object, { indexes, count: variables.length, spellings }).map(
      (found) => found && readVariable(found, `${path}[${index}]`)
    )
  }))
}

/** In chunks, so the objects made for recipients never exist for all of them at once. */
function fromArray<T>(
  items: readonly T[],
  path: string,
  toGiven: (item: T, index: number) => GivenRecipient
): RecipientSource {
  return {
    path,
    ...(items.length <= FEW_MAX && { few: items.map(toGiven) }),
    async *read() {
      for (let start = 0; start < items.length; start += PIECE) {
        yield items.slice(start, start + PIECE).map((item, index) => toGiven(item, start + index))
      }
    }
  }
}

const PIECE = 2_000

interface FoundVariable {
  property: string
  value: unknown
}

/** The values of a recipient for the given names, in their order. Null is absent. */
function findVariables(
  object: RecipientWithVariables,
  { indexes, count, spellings }: { indexes: ReadonlyMap<string, number>; count: number; spellings: Spellings }
): (FoundVariable | undefined)[] {
  const found = Array.from<FoundVariable | undefined>({ length: count })
  let missing = 0
  for (const [name, index] of indexes) {
    found[index] = Object.hasOwn(object, name) ? { property: name, value: object[name] } : undefined
    if (!found[index]) missing++
  }
  // One pass over all properties, however many variables are missing: a recipient may have a million properties.
  for (const property of missing === 0 ? [] : Object.keys(object)) {
    const index = indexOf(property, indexes, spellings)
    if (index !== undefined) found[index] ??= { property, value: object[property] }
  }
  return found.map((variable) => (variable?.value === null || variable?.value === undefined ? undefined : variable))
}

/** The variable that each spelling of a property stands for. */
type Spellings = Map<string, number | undefined>

/** Recipients of one send share a few spellings. Past this limit, only the exact name finds a variable. */
const SPELLINGS_MAX = 10_000

function indexOf(property: string, indexes: ReadonlyMap<string, number>, spellings: Spellings): number | undefined {
  if (spellings.size < SPELLINGS_MAX && !spellings.has(property)) {
    spellings.set(property, indexes.get(variableKey(property)))
  }
  return spellings.get(property)
}

const VARIABLE_LENGTH_MAX = 2_000

function readVariable({ property, value }: FoundVariable, path: string): string {
  const refuse = (message: string) => invalidInput([{ path: `${path}.${property}`, message }])
  if (Number.isFinite(value)) return String(value)
  if (typeof value !== 'string') throw refuse('must be text or a number, such as "Ana" or 7, since the content uses it')
  if (value.length > VARIABLE_LENGTH_MAX) throw refuse(`must have at most ${VARIABLE_LENGTH_MAX} characters`)
  const problem = problemOfText(value, `${path}.${property}`)
  if (problem) throw invalidInput([problem])
  return value
}

/** The contacts of some lists, as they are when the message is accepted. */
export function fromLists(listIds: readonly number[], { accountId, variables }: Send): RecipientSource {
  const distinct = [...new Set(listIds)]
  const { fields, toGiven } = contactValues(variables)
  return {
    path: 'contactlist',
    async *read(database) {
      const query = { accountId, listIds: distinct, fields }
      await openContactsOfLists(database, query)
      // After opening: a list that still exists now was complete then. Deleting it from now on changes nothing.
      let missing = 0
      for (const id of distinct) {
        const list = await findList(database, { accountId, id })
        if (!list) throw notFound('contact list')
        missing += list.contactsCount
      }
      for await (const rows of readOpenedContacts(database, query)) {
        missing -= rows.length
        yield rows.map(toGiven)
      }
      // Counts and contacts are on different nodes of a cluster. A list may change meanwhile, so the numbers may differ.
      if (missing !== 0) await refuseHalfCommits(database)
    }
  }
}

/** The fields of contacts that variables name, and the recipient of a row: its number, then these fields. */
export function contactValues(variables: readonly string[]) {
  const fieldOf = variables.map(contactFieldOf)
  const fields = fieldOf.filter((field) => field !== undefined)
  const placeOf = fieldOf.map((field) => (field === undefined ? undefined : fields.indexOf(field) + 1))
  const toGiven = (row: readonly string[]): GivenRecipient => ({
    number: row[0] ?? '',
    values: placeOf.map((place) => (place === undefined ? undefined : (row[place] ?? '')))
  })
  return { fields, toGiven }
}

/** One source after the other; a number in several sources counts in the first. */
export function inTurn(sources: readonly RecipientSource[]): RecipientSource {
  const [first, ...others] = sources
  if (first && others.length === 0) return first
  return {
    path: first?.path ?? '',
    async *read(database) {
      for (const source of sources) yield* source.read(database)
    }
  }
}

/** The rows of a file; every column is a variable. */
export function fromFile(file: UploadedFile, { country, variables }: Send): RecipientSource {
  return {
    path: 'file',
    async *read() {
      const { columns, numberColumn, rows } = await openSpreadsheet(file, { country })
      const numberAt = numberColumn.position - 1
      const placeOf = variables.map((name) => {
        const column =
          columns.find((column) => variableKey(column.name) === name) ??
          columns.find((column) => column.name !== '' && columnKey(column.name) === columnKey(name))
        return column && column.position - 1
      })
      for await (const batch of rows) {
        yield batch.map(({ line, cells }) => ({
          number: cells[numberAt] ?? '',
          values: placeOf.map((place) => (place === undefined ? undefined : readCell(cells[place], line)))
        }))
      }
    }
  }
}

/** No text of an SMS or an RCS is longer. A cell of 100,000 characters, named 1,600 times, would fill the memory. */
const CELL_LENGTH_MAX = 4_000

function readCell(cell: string | undefined, line: number): string {
  if (cell !== undefined && cell.length > CELL_LENGTH_MAX) {
    throw badFile(`a cell that the content uses has more than ${CELL_LENGTH_MAX} characters`, line)
  }
  return cell ?? ''
}
