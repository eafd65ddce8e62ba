import Type, { type Static } from 'typebox'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { invalidInput, notFound, Refusal } from '../errors.ts'
import { Nullable } from '../schemas/nullable.ts'
import {
  type AssignedList,
  listPriceLists,
  listPriceVersions,
  type PriceList,
  type PriceVersion
} from './prices.store.ts'

const NAME_LENGTH_MAX = 100
export const LISTS_MAX = 200
export const VERSIONS_MAX = 1_000
/** Of the operator, over all versions of its lists: they are never removed. */
export const STORED_PRICES_MAX = 500_000
/** Of any other account: those in force are in the memory of every process. */
export const PARENT_PRICES_MAX = 100_000
/** Of such an account, over all lists: every process reads the dates of those in use at each change of prices. */
export const PARENT_VERSIONS_MAX = 5_000
const AHEAD_MAX_DAYS = 730

export const PriceListName = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: '\\S',
  'x-words': 'a name, such as Resellers 2027'
})

const PriceVersionView = Type.Object(
  {
    number: Type.Integer({ description: 'From 1, in the order in which they were stored.' }),
    valid_from: Type.String({ format: 'date-time' }),
    created_at: Type.String({ format: 'date-time' }),
    made_by: Type.String({ description: 'The name of the person or key.' }),
    prices: Type.Integer({ description: 'How many prices it has.' })
  },
  { $id: 'PriceVersion' }
)

export const PriceListView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    is_default: Type.Boolean({ description: 'Whether it counts for accounts without a list.' }),
    accounts: Type.Integer({ description: 'How many accounts have it.' }),
    in_force: Nullable(
      Type.Integer({ description: 'The number of the version that counts now; null before the first begins.' })
    ),
    versions: Type.Array(PriceVersionView, { description: 'The newest first.' })
  },
  { $id: 'PriceList' }
)

export const priceListExample: Static<typeof PriceListView> = {
  id: 4,
  name: 'Resellers 2027',
  is_default: false,
  accounts: 3,
  in_force: 1,
  versions: [
    {
      number: 1,
      valid_from: '2026-11-15T09:30:00.000Z',
      created_at: '2026-11-15T09:30:00.000Z',
      made_by: 'Léa Martin',
      prices: 58
    }
  ]
}

/** The fields of an upload of prices. */
export const priceFileFields = {
  valid_from: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'When its prices begin to count, in ISO 8601; now unless given. Not in the past, at most two years ahead.'
    })
  )
}

export const PRICE_FILE =
  'CSV (separated by `,`, `;` or tab) or XLSX (its first sheet), with the titles `kind`, `prefix`, `credits`; up to 20,000 prices.'

export const PriceImportedView = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String(),
    prices: Type.Integer({ description: 'How many prices the file has.' }),
    list: Nullable(PriceListView)
  },
  { $id: 'PriceImported' }
)

export const priceImportedExample: Static<typeof PriceImportedView> = {
  success: true,
  message: '58 prices stored.',
  prices: 58,
  list: priceListExample
}

export function readValidFrom(text: string | undefined): Date | null {
  if (text === undefined) return null
  const validFrom = new Date(text)
  const now = databaseNow()
  // The format allows a leap second, which no clock of ours has.
  if (Number.isNaN(validFrom.getTime())) throw invalidInput([{ path: 'valid_from', message: 'is no moment' }])
  if (validFrom < now) {
    throw invalidInput([{ path: 'valid_from', message: 'must not be in the past: what was accepted keeps its price' }])
  }
  if (validFrom.getTime() > now.getTime() + AHEAD_MAX_DAYS * 86_400_000) {
    throw invalidInput([{ path: 'valid_from', message: 'must be at most two years ahead' }])
  }
  return validFrom
}

export async function readPriceList(
  sql: Sql,
  { of, id }: { of: number; id: number }
): Promise<Static<typeof PriceListView>> {
  const list = (await readPriceLists(sql, { of })).find((one) => one.id === id)
  if (!list) throw notFound('price list')
  return list
}

export async function readPriceLists(sql: Sql, { of }: { of: number }): Promise<Static<typeof PriceListView>[]> {
  const lists = await listPriceLists(sql, { of })
  const versions = Map.groupBy(
    await listPriceVersions(
      sql,
      lists.map(({ id }) => id)
    ),
    ({ listId }) => listId
  )
  const now = databaseNow()
  return lists.map((list) => toView(list, versions.get(list.id) ?? [], now))
}

function toView(list: PriceList, versions: readonly PriceVersion[], now: Date): Static<typeof PriceListView> {
  const { id, name, isDefault, accounts } = list
  return {
    id,
    name,
    is_default: isDefault,
    accounts,
    in_force: inForce(versions, now)?.number ?? null,
    versions: versions.map(({ number, validFrom, createdAt, madeBy, pricesCount }) => ({
      number,
      valid_from: validFrom.toISOString(),
      created_at: createdAt.toISOString(),
      made_by: madeBy,
      prices: pricesCount
    }))
  }
}

/** The version that began last; of two that began together, the newer. The newest is given first. */
function inForce(versions: readonly PriceVersion[], now: Date): PriceVersion | undefined {
  return versions
    .filter(({ validFrom }) => validFrom <= now)
    .reduce<PriceVersion | undefined>((best, one) => (best && best.validFrom >= one.validFrom ? best : one), undefined)
}

export const PricedAccountView = Type.Object(
  {
    account_id: Type.Integer(),
    account_name: Type.String(),
    list_id: Nullable(Type.Integer({ description: 'Null: a list that another account made.' })),
    list_name: Nullable(Type.String()),
    set_at: Type.String({ format: 'date-time' })
  },
  { $id: 'PricedAccount' }
)

export const pricedAccountExample: Static<typeof PricedAccountView> = {
  account_id: 7,
  account_name: 'Boutique Lumière',
  list_id: 4,
  list_name: 'Resellers 2027',
  set_at: '2026-11-15T09:30:00.000Z'
}

export function toPricedAccountView(
  { accountId, socialReason, listId, name, madeBy, setAt }: AssignedList,
  callerId: number
): Static<typeof PricedAccountView> {
  const isOwn = madeBy === callerId
  return {
    account_id: accountId,
    account_name: socialReason,
    list_id: isOwn ? listId : null,
    list_name: isOwn ? name : null,
    set_at: setAt.toISOString()
  }
}

export function nameTaken(name: string): Refusal {
  return new Refusal(409, 'state_conflict', `There is a price list named ${name} already.`)
}
