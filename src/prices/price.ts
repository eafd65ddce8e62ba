import Type, { type Static } from 'typebox'
import type { RcsContent, RcsType } from '../rcs/rcs-content.ts'

/*
 * Prices in whole credits, by kind of message and prefix of the number. The longest prefix counts. A price list has versions,
 * which are never changed: what a message was accepted at can always be told.
 */

/** What has a price: a segment of SMS, an RCS by its content, or a conversation by RCS. */
export const PRICE_KINDS = ['sms', 'rcs_basic', 'rcs_single', 'rcs_conversation'] as const
export type PriceKind = (typeof PRICE_KINDS)[number]

/** A recipient has up to 10 segments, and its credits are stored in 16 bits. */
export const CREDITS_MAX = 1_000
/** Calling code and the beginning of a number. */
export const PREFIX_DIGITS_MAX = 12
/** Stands for all numbers that no other prefix matches. */
export const ANY_PREFIX = '*'

export interface Price {
  kind: PriceKind
  /** Digits without `+`; empty for any number. */
  prefix: string
  credits: number
}

/** The bytes of an RCS text above which it is no longer basic. */
const BASIC_BYTES_MAX = 160

/** What an RCS is priced by. */
export interface RcsShape {
  type: RcsType
  /** A text of at most 160 bytes without buttons. */
  isBasic: boolean
}

/** The content as one recipient gets it. */
export function rcsShapeOf(content: RcsContent): RcsShape {
  const isBasic =
    content.type === 'text' &&
    (content.data.choices ?? []).length === 0 &&
    Buffer.byteLength(content.data.text) <= BASIC_BYTES_MAX
  return { type: content.type, isBasic }
}

/** What a message was accepted at, as it is stored with it. */
export interface PriceVersions {
  /** Null for the built-in prices. */
  priceVersion: number | null
  /** The version below whose prices none of them goes: 0 for the built-in ones, null for no such bound. */
  priceFloor: number | null
}

/** The prices of one version of a list, or the built-in ones. Undefined: the number can't be written to. */
export interface PriceTable {
  readonly versions: PriceVersions
  /** Whether an RCS is priced by its content as its recipient gets it, and not by its type alone. */
  readonly asksContent: boolean
  /** Credits for one segment of an SMS to this number. */
  segment(e164: string): number | undefined
  /** Credits for one RCS to this number. */
  rcs(shape: RcsShape, e164: string): number | undefined
  readonly sellsConversations: boolean
  /** Credits for a conversation of 24 hours, where it is sold so. */
  conversation(e164: string): number | undefined
  list(): Price[]
}

/** The account that a price is for, with its parent. */
export interface PricedAccount {
  accountId: number
  parentId: number | null
}

/** The prices of all accounts, as sends and fallbacks ask for them. */
export interface PriceBook {
  /** Whether any list has a price for conversations. */
  readonly sellsConversations: boolean
  /** The prices of an account at a moment. */
  forAccount(account: PricedAccount, at: Date): PriceTable
  /** The account whose credits these prices are for; undefined where they are the same for the parent's credits. */
  payerOf(account: PricedAccount): number | undefined
  /** The prices that a message was accepted at, once they are loaded. */
  byVersions(versions: PriceVersions): PriceTable
  /** Loads versions that are no longer in force, for `byVersions`. */
  load(versions: readonly PriceVersions[]): Promise<void>
  /** Reads anew which lists count, and whose credits accounts spend. */
  refresh(): Promise<void>
}

export const PriceRow = Type.Object(
  {
    kind: Type.Enum(PRICE_KINDS, {
      description:
        '`sms`: a segment. `rcs_basic`: a text of at most 160 bytes without buttons. `rcs_single`: any other RCS. `rcs_conversation`: all RCS to a person within 24 hours of a reply.'
    }),
    prefix: Type.String({
      description: 'The beginning of the numbers, without `+`, such as `33`. `*`: numbers that no other prefix matches.'
    }),
    credits: Type.Integer({ description: 'Whole credits for one.' })
  },
  { $id: 'PriceRow' }
)

export function toPriceRow({ kind, prefix, credits }: Price): Static<typeof PriceRow> {
  return { kind, prefix: prefix === '' ? ANY_PREFIX : prefix, credits }
}

export const priceRowExamples: Static<typeof PriceRow>[] = [
  { kind: 'sms', prefix: '33', credits: 1 },
  { kind: 'sms', prefix: '32', credits: 2 }
]
