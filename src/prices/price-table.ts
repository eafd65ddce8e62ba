import type { RcsType } from '../rcs/rcs-content.ts'
import { Prefixes } from './prefixes.ts'
import { PRICE_KINDS, type Price, type PriceBook, type PriceTable } from './price.ts'

/** The table of a version of a list. */
export function createPriceTable(versionId: number, prices: readonly Price[]): PriceTable {
  const [sms, basic, single, conversation] = PRICE_KINDS.map((kind) => {
    const prefixes = new Prefixes()
    for (const price of prices) if (price.kind === kind) prefixes.add(price.prefix, price.credits)
    return prefixes
  }) as [Prefixes, Prefixes, Prefixes, Prefixes]
  return {
    versionId,
    asksContent: true,
    sellsConversations: prices.some(({ kind }) => kind === 'rcs_conversation'),
    segment: (e164) => sms.find(e164),
    rcs: ({ isBasic }, e164) => (isBasic ? basic : single).find(e164),
    conversation: (e164) => conversation.find(e164),
    list: () => [...prices]
  }
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

const segments = new Prefixes()
for (const { prefix, credits } of BUILT_IN_SEGMENTS) segments.add(prefix, credits)

export const BUILT_IN_PRICES: PriceTable = {
  versionId: null,
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
  byVersion: () => BUILT_IN_PRICES,
  load: async () => undefined
}
