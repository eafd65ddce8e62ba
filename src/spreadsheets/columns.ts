import { badFile } from './row.ts'

/** A column of a table: its place, and its title if there is a header. */
export interface Column {
  /** From 1. */
  position: number
  /** Empty without a header. */
  name: string
}

/** The key of a title: `Prénom `, `prenom` and `PRE-NOM` are the same. */
export function columnKey(title: string): string {
  return title
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** The place of the column that has one of these titles; -1 without one. With two of them, nobody knows which is meant. */
export function placeOf(columns: readonly Column[], ...titles: [string, ...string[]]): number {
  const places = columns.flatMap(({ name }, place) => (titles.includes(columnKey(name)) ? [place] : []))
  if (places.length > 1) {
    throw badFile(`has two columns for ${titles[0]}: ${places.map((place) => columns[place]?.name).join(' and ')}`)
  }
  return places[0] ?? -1
}

/** Titles of the column that holds the phone number, the likeliest first. */
export const NUMBER_COLUMNS = ['recipient', 'tel', 'phone', 'mobile', 'telephone']

/** Titles that a phone number shares with other things. */
export const LIKELY_NUMBER_COLUMNS = [
  'portable',
  'gsm',
  'telmobile',
  'telportable',
  'telephoneportable',
  'telephonemobile',
  'mobilephone',
  'cellphone',
  'cell',
  'msisdn',
  'phonenumber',
  'mobilenumber',
  'numerodetelephone',
  'numerodeportable',
  'numerodemobile',
  'numtel',
  'numero',
  'number',
  'destinataire',
  'to'
]
