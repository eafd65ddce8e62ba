import { checkCountrySender, rulesOf } from '../compliance/country-rules.ts'
import type { Sql } from '../database/database.ts'
import { GENERIC_WORDS } from './generic-words.ts'
import { areAlike, skeletonOf } from './look-alikes.ts'
import { listNumberGrants } from './register.store.ts'
import type { Finding } from './sender.ts'
import { isNumberKey, senderKey } from './sender-key.ts'
import { type ListEntry, listAllEntries } from './sender-lists.store.ts'
import { type ComparedName, listComparedNames } from './senders.store.ts'

/* What speaks against a name, told to the account that declares it and to whoever decides. */

/** A name that an account wants. */
export interface WantedName {
  accountId: number
  /** The account itself, or its parent: within a family, names are nobody else's. */
  topLevelId: number
  name: string
  countries: readonly string[]
}

interface Compared {
  skeleton: string
}

/** The most look-alikes that are named. */
const LOOK_ALIKES_MAX = 5
const GENERIC_SKELETONS = new Set(GENERIC_WORDS.map(skeletonOf))

/** Reads what names are compared with, once for any number of names. */
export async function openFindings(sql: Sql): Promise<(wanted: WantedName) => Finding[]> {
  const [entries, names, grants] = await Promise.all([
    listAllEntries(sql),
    listComparedNames(sql),
    listNumberGrants(sql)
  ])
  const compared = {
    entries: entries.map((entry) => ({ ...entry, skeleton: skeletonOf(entry.name) })),
    names: names.map((name) => ({ ...name, skeleton: skeletonOf(name.name) }))
  }
  return (wanted) => {
    const key = senderKey(wanted.name)
    if (!isNumberKey(key)) return findForName(wanted, compared)
    const holders = grants.filter(({ number }) => number === key).map(({ accountId }) => accountId)
    if (holders.length === 0 || holders.includes(wanted.accountId) || holders.includes(wanted.topLevelId)) return []
    return [finding('granted', 'is a number that is granted to other accounts', null, holders[0] ?? null)]
  }
}

/** Whether a name is refused outright, whoever would decide. */
export function isRefused({ kind }: Finding): boolean {
  return kind === 'forbidden' || kind === 'reserved'
}

function findForName(
  wanted: WantedName,
  { entries, names }: { entries: readonly (ListEntry & Compared)[]; names: readonly (ComparedName & Compared)[] }
): Finding[] {
  const skeleton = skeletonOf(wanted.name)
  return [
    ...(GENERIC_SKELETONS.has(skeleton.replace(/(?<!\d)\d+$/, '')) || GENERIC_SKELETONS.has(skeleton)
      ? [finding('generic', 'is a generic word, which does not tell who writes')]
      : []),
    ...entries.flatMap((entry) => compareEntry(wanted, skeleton, entry)),
    ...compareNames(wanted, skeleton, names),
    ...wanted.countries.flatMap((country) => findForCountry(wanted.name, country))
  ]
}

function compareEntry({ accountId, topLevelId }: WantedName, skeleton: string, entry: ListEntry & Compared): Finding[] {
  if (entry.kind === 'word') {
    const holdsWord = skeleton.includes(entry.skeleton)
    return holdsWord
      ? [finding('forbidden', `holds the word ${entry.name}, which the operator forbids`, entry.name)]
      : []
  }
  const isOwn = entry.accountId === accountId || entry.accountId === topLevelId
  if (isOwn || !areAlike(skeleton, entry.skeleton)) return []
  const isSame = skeleton === entry.skeleton
  const rule = entry.kind === 'forbidden' ? 'the operator forbids' : 'is reserved for another account'
  if (isSame && entry.kind === 'forbidden')
    return [finding('forbidden', 'is a name that the operator forbids', entry.name)]
  if (isSame) return [finding('reserved', 'is reserved for another account', entry.name, entry.accountId)]
  return [finding('looks-like', `looks like ${entry.name}, which ${rule}`, entry.name, entry.accountId)]
}

function compareNames(
  { name, topLevelId }: WantedName,
  skeleton: string,
  names: readonly (ComparedName & Compared)[]
): Finding[] {
  const found: Finding[] = []
  for (const other of names) {
    if (other.topLevelId === topLevelId || !areAlike(skeleton, other.skeleton)) continue
    const isSame = senderKey(other.name) === senderKey(name)
    found.push(
      isSame
        ? finding('taken', 'is declared by another account too', other.name, other.accountId)
        : finding('looks-like', `looks like ${other.name} of another account`, other.name, other.accountId)
    )
    if (found.length === LOOK_ALIKES_MAX) break
  }
  return found
}

function findForCountry(name: string, country: string): Finding[] {
  const problem = checkCountrySender(name, { country, category: undefined })
  if (problem !== undefined) return [countryFinding(country, problem)]
  const { status, register } = rulesOf(country).names
  return status === 'registered'
    ? [countryFinding(country, `must stand in the register of ${country}: ${register}`)]
    : []
}

function finding(
  kind: Finding['kind'],
  message: string,
  name: string | null = null,
  accountId: number | null = null
): Finding {
  return { kind, message, name, accountId, country: null }
}

function countryFinding(country: string, message: string): Finding {
  return { ...finding('country', message), country }
}
