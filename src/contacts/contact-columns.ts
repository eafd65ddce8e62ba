import { type InputProblem, invalidInput } from '../errors.ts'
import { type Column, columnKey, LIKELY_NUMBER_COLUMNS, NUMBER_COLUMNS } from '../spreadsheets/columns.ts'
import { CONTACT_FIELDS, type ContactField, type WireField } from './contact.ts'

/** Titles that people give these fields, in French and English, as `columnKey` writes them. */
const TITLES: Record<WireField, string[]> = {
  champ_nom: ['nom', 'nomdefamille', 'name', 'lastname', 'surname', 'familyname'],
  champ_prenom: ['prenom', 'prenoms', 'firstname', 'givenname', 'forename'],
  champ_mail: ['mail', 'email', 'courriel', 'adressemail', 'adresseemail', 'emailaddress', 'mailaddress'],
  champ_adresse: ['adresse', 'adressepostale', 'rue', 'address', 'street', 'streetaddress', 'address1', 'adresse1'],
  champ_cp: ['cp', 'codepostal', 'zip', 'zipcode', 'postalcode', 'postcode'],
  champ_date: ['date', 'datedenaissance', 'naissance', 'anniversaire', 'birthday', 'birthdate', 'dateofbirth'],
  champ_ville: ['ville', 'commune', 'localite', 'city', 'town'],
  ...customTitles()
}

function customTitles() {
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const
  return Object.fromEntries(
    numbers.map((number) => [
      `champ_perso${number}`,
      [
        `perso${number}`,
        `personnalise${number}`,
        `champpersonnalise${number}`,
        `custom${number}`,
        `customfield${number}`
      ]
    ])
  ) as Record<`champ_perso${(typeof numbers)[number]}`, string[]>
}

const NAMES = new Map<WireField, ContactField>(CONTACT_FIELDS)

const FIELD_OF_TITLE = new Map<string, WireField>()
for (const [field] of CONTACT_FIELDS) {
  for (const title of [field, ...TITLES[field]]) FIELD_OF_TITLE.set(columnKey(title), field)
}

/** The field of a contact with this name or title: `champ_nom`, `nom`, `last name`. */
export function contactFieldOf(name: string): ContactField | 'phone' | undefined {
  const key = columnKey(name)
  if (NUMBER_COLUMNS.includes(key) || LIKELY_NUMBER_COLUMNS.includes(key)) return 'phone'
  const wire = FIELD_OF_TITLE.get(key)
  return wire && NAMES.get(wire)
}

/** The field of a contact for each column. */
export interface ContactColumns {
  fields: { field: ContactField; wire: WireField; position: number }[]
  /** Titles without a field. */
  unused: string[]
}

/** The mapping that a customer gives: title or position → field. */
export type Mapping = Record<string, string>

/** The column of the number, if the mapping names it. */
export function mappedNumberColumn(mapping: Mapping | undefined): string | undefined {
  return Object.entries(mapping ?? {}).find(([, field]) => columnKey(field) === 'tel')?.[0]
}

/** Reads the columns that the mapping names; without a mapping, every column whose title is known. */
export function toContactColumns(
  columns: Column[],
  numberColumn: Column | undefined,
  mapping: Mapping | undefined
): ContactColumns {
  const others = columns.filter((column) => column !== numberColumn)
  const found = mapping ? byMapping(columns, mapping) : byTitles(others)
  const used = new Set(found.map(({ position }) => position))
  return {
    fields: found.map(({ wire, position }) => ({ wire, position, field: NAMES.get(wire) as ContactField })),
    unused: others.filter(({ name, position }) => name !== '' && !used.has(position)).map(({ name }) => name)
  }
}

interface FieldColumn {
  wire: WireField
  position: number
}

/** Of two columns for one field, the first counts. */
function byTitles(columns: Column[]): FieldColumn[] {
  const found = new Map<WireField, FieldColumn>()
  for (const { name, position } of columns) {
    const wire = FIELD_OF_TITLE.get(columnKey(name))
    if (wire && !found.has(wire)) found.set(wire, { wire, position })
  }
  return [...found.values()]
}

function byMapping(columns: Column[], mapping: Mapping): FieldColumn[] {
  const problems: InputProblem[] = []
  const found = new Map<WireField, FieldColumn>()
  for (const [title, field] of Object.entries(mapping)) {
    const path = `mapping.${title}`
    if (columnKey(field) === 'tel') continue
    const wire = FIELD_OF_TITLE.get(columnKey(field))
    const column = findColumn(columns, title)
    if (!wire) problems.push({ path, message: `must be a field of a contact, such as champ_nom; it is "${field}"` })
    else if (!column) problems.push({ path, message: 'is not a column of this file' })
    else if (found.has(wire)) problems.push({ path, message: `must be another field: "${field}" has a column already` })
    else found.set(wire, { wire, position: column.position })
  }
  if (problems.length > 0) throw invalidInput(problems)
  return [...found.values()]
}

/** By its title, else by its position. */
function findColumn(columns: Column[], title: string): Column | undefined {
  return (
    columns.find(({ name }) => name !== '' && columnKey(name) === columnKey(title)) ??
    columns.find(({ position }) => String(position) === title)
  )
}
