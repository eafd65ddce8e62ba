import type { RcsType } from '../rcs/rcs-content.ts'
import { Prefixes } from './prefixes.ts'
import { PRICE_KINDS, type Price, type PriceBook, type PriceTable } from './price.ts'

/** The table of a version of a list. It keeps nothing of `prices`, which take more memory than the table. */
export function createPriceTable(versionId: number, prices: readonly Price[]): PriceTable {
  const tables = tablesOf(prices)
  const [sms, basic, single, conversation] = tables
  return {
    versions: { priceVersion: versionId, priceFloor: null },
    asksContent: true,
    sellsConversations: conversation.size > 0,
    segment: (e164) => sms.find(e164),
    rcs: ({ isBasic }, e164) => (isBasic ? basic : single).find(e164),
    conversation: (e164) => conversation.find(e164),
    list: () =>
      PRICE_KINDS.flatMap((kind, index) => {
        const rows = [...(tables[index] as Prefixes).entries()].map(([prefix, credits]) => ({ kind, prefix, credits }))
        return rows.sort((a, b) => (a.prefix < b.prefix ? -1 : 1))
      })
  }
}

/** By kind. A function of its own: what the table calls must not hold on to `prices`. */
function tablesOf(prices: readonly Price[]) {
  const tables = PRICE_KINDS.map((kind) => prefixesOf(prices.filter((price) => price.kind === kind)))
  return tables as [Prefixes, Prefixes, Prefixes, Prefixes]
}

function prefixesOf(prices: readonly Price[]): Prefixes {
  return new Prefixes(prices.map(({ prefix, credits }) => [prefix, credits] as const))
}

/** Of the floor of a table, where that is the built-in prices. */
export const BUILT_IN_FLOOR = 0

/**
 * The prices of a list that are never below those of another: a parent can't sell for less than it pays. What the other list has
 * no price for can't be written to.
 */
export function createFlooredTable(table: PriceTable, floor: PriceTable): PriceTable {
  const higher = (one: number | undefined, other: number | undefined) =>
    one === undefined || other === undefined ? undefined : Math.max(one, other)
  const floored: PriceTable = {
    versions: { ...table.versions, priceFloor: floor.versions.priceVersion ?? BUILT_IN_FLOOR },
    asksContent: table.asksContent || floor.asksContent,
    sellsConversations: table.sellsConversations && floor.sellsConversations,
    segment: (e164) => higher(table.segment(e164), floor.segment(e164)),
    rcs: (shape, e164) => higher(table.rcs(shape, e164), floor.rcs(shape, e164)),
    conversation: (e164) => higher(table.conversation(e164), floor.conversation(e164)),
    list() {
      const rows = new Map([...table.list(), ...floor.list()].map((price) => [`${price.kind} ${price.prefix}`, price]))
      return [...rows.values()].flatMap(({ kind, prefix }) => {
        const credits = priceOf(floored, kind, `+${prefix}`)
        return credits === undefined ? [] : [{ kind, prefix, credits }]
      })
    }
  }
  return floored
}

function priceOf(table: PriceTable, kind: Price['kind'], e164: string): number | undefined {
  if (kind === 'sms') return table.segment(e164)
  if (kind === 'rcs_conversation') return table.conversation(e164)
  return table.rcs(kind === 'rcs_basic' ? { type: 'text', isBasic: true } : { type: 'card', isBasic: false }, e164)
}

/*
 * The built-in prices, for accounts without a list. France is the unit of an SMS segment; other prices follow the usual
 * charges of carriers, rounded up.
 */
const BUILT_IN_SEGMENTS: readonly Price[] = [
  ...builtIn(1, [33, 1]),
  // The French overseas departments and territories.
  ...builtIn(2, [262, 508, 590, 594, 596, 681, 687, 689]),
  // Countries of the European Union and its neighbours.
  ...builtIn(2, [30, 31, 32, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49]),
  ...builtIn(2, [351, 352, 353, 354, 356, 357, 358, 359, 370, 371, 372, 376, 377, 385, 386, 420, 421]),
  { kind: 'sms', prefix: '', credits: 3 }
]

function builtIn(credits: number, prefixes: readonly number[]): Price[] {
  return prefixes.map((prefix) => ({ kind: 'sms', prefix: String(prefix), credits }))
}

/** Carriers charge less for a text than for pictures, in any country. */
const BUILT_IN_RCS: Record<RcsType, number> = { text: 1, card: 2, carousel: 2 }

const segments = prefixesOf(BUILT_IN_SEGMENTS)

export const BUILT_IN_PRICES: PriceTable = {
  versions: { priceVersion: null, priceFloor: null },
  asksContent: false,
  sellsConversations: false,
  segment: (e164) => segments.find(e164),
  rcs: ({ type }) => BUILT_IN_RCS[type],
  conversation: () => undefined,
  list: () => [
    ...BUILT_IN_SEGMENTS,
    { kind: 'rcs_basic', prefix: '', credits: BUILT_IN_RCS.text },
    { kind: 'rcs_single', prefix: '', credits: BUILT_IN_RCS.card }
  ]
}

/** Of a service without lists. */
export const BUILT_IN_BOOK: PriceBook = {
  sellsConversations: false,
  forAccount: () => BUILT_IN_PRICES,
  payerOf: () => undefined,
  byVersions: () => BUILT_IN_PRICES,
  load: async () => undefined,
  refresh: async () => undefined
}
