import Type from 'typebox'
import { lockAccount } from '../accounts/accounts.store.ts'
import { findActorName } from '../accounts/actors.store.ts'
import type { Database } from '../database/database.ts'
import { notFound, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { CheckQuery } from '../http/check-query.ts'
import { upload } from '../http/upload.ts'
import { counted } from '../spreadsheets/counted.ts'
import type { Price } from './price.ts'
import type { PriceBookReader } from './price-book.ts'
import {
  LISTS_MAX,
  nameTaken,
  PARENT_PRICES_MAX,
  PARENT_VERSIONS_MAX,
  PRICE_FILE,
  PriceImportedView,
  PriceListName,
  priceFileFields,
  priceImportedExample,
  readPriceList,
  readValidFrom,
  STORED_PRICES_MAX,
  VERSIONS_MAX
} from './price-list.ts'
import {
  countStored,
  insertPriceList,
  insertPriceVersion,
  listPriceLists,
  listPriceVersions,
  lockPriceList,
  raisePriceRegisterVersion
} from './prices.store.ts'
import { readPriceFile } from './read-price-file.ts'

const FILE_RULES =
  'Each line has a `kind` (`sms`: a segment; `rcs_basic`: a text of at most 160 bytes without buttons; `rcs_single`: any other RCS; `rcs_conversation`: all RCS to a person within 24 hours of a reply), a `prefix` (digits, or `*` for all other numbers) and whole `credits` from 1 to 1,000. The file is refused, with the lines at fault, when a prefix has two prices of a kind, or a country is priced in part.'

export const createPriceList = (prices: PriceBookReader) =>
  upload({
    route: 'POST /price-lists',
    id: 'createPriceList',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Make a price list',
    description: `Stores a price list and its first version from a file. The operator makes lists for any account, and a parent for its sub-accounts; each sees its own. ${FILE_RULES}`,
    file: PRICE_FILE,
    body: Type.Object({ name: PriceListName, ...priceFileFields }, { $id: 'PriceListDto' }),
    query: CheckQuery,
    answer: PriceImportedView,
    example: { body: { name: 'Resellers 2027' }, answer: priceImportedExample },
    refusals: { state_conflict: 'There is a list of this name, or there are too many lists.' },
    async handle({ caller, body, query, file, database, afterCommit, record }) {
      const validFrom = readValidFrom(body.valid_from)
      const read = await readPriceFile(file, caller.country)
      const name = body.name.trim()
      const { accountId } = caller
      if (query.check) return checked(read)
      const list = await database.begin(async (database) => {
        if ((await listPriceLists(database, { of: accountId })).length >= LISTS_MAX) {
          throw new Refusal(409, 'state_conflict', `An account has at most ${LISTS_MAX} price lists.`)
        }
        const listId = await insertPriceList(database, { accountId, name })
        if (listId === undefined) throw nameTaken(name)
        await store(database, { caller, listId, validFrom, prices: read })
        await record(database, {
          object: { kind: 'price_list', id: listId },
          changes: { name: [null, name], prices: [0, read.length] }
        })
        return readPriceList(database, { of: accountId, id: listId })
      })
      afterCommit(prices.reread)
      return { success: true, message: `${counted(read.length, 'price')} stored.`, prices: read.length, list }
    }
  })

export const followPriceList = (prices: PriceBookReader) =>
  upload({
    route: 'POST /price-lists/{id}/versions',
    id: 'followPriceList',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Follow a price list by another version',
    description: `Stores the prices of a file as the next version of a list, which count from \`valid_from\`. Earlier versions stay as they are, and so do messages that were accepted. Of two versions that begin together, the newer counts. ${FILE_RULES}`,
    file: PRICE_FILE,
    body: Type.Object(priceFileFields, { $id: 'PriceVersionDto' }),
    query: CheckQuery,
    answer: PriceImportedView,
    example: { body: { valid_from: '2027-01-01T00:00:00.000Z' }, answer: priceImportedExample },
    refusals: { not_found: 'There is no such list.', state_conflict: 'It has too many versions.' },
    async handle({ caller, params, body, query, file, database, afterCommit, record }) {
      const validFrom = readValidFrom(body.valid_from)
      const list = await database.begin(async (database) => {
        const locked = await lockPriceList(database, { of: caller.accountId, id: params.id })
        if (!locked) throw notFound('price list')
        const read = await readPriceFile(file, caller.country)
        if (query.check) return checked(read)
        const before = await listPriceVersions(database, [locked.id])
        if (before.length >= VERSIONS_MAX) {
          throw new Refusal(409, 'state_conflict', `A price list has at most ${VERSIONS_MAX} versions.`)
        }
        await store(database, { caller, listId: locked.id, validFrom, prices: read })
        await record(database, {
          object: { kind: 'price_list', id: locked.id },
          changes: { version: [before.length, before.length + 1], prices: [before[0]?.pricesCount ?? 0, read.length] }
        })
        const list = await readPriceList(database, { of: caller.accountId, id: locked.id })
        return { success: true, message: `${counted(read.length, 'price')} stored.`, prices: read.length, list }
      })
      if (!query.check) afterCommit(prices.reread)
      return list
    }
  })

function checked(read: readonly Price[]) {
  const { length } = read
  return {
    success: true,
    message: `${counted(length, 'price')}, no mistakes. Nothing was stored.`,
    prices: length,
    list: null
  }
}

async function store(
  database: Database,
  { caller, ...version }: { caller: Caller; listId: number; validFrom: Date | null; prices: readonly Price[] }
): Promise<void> {
  // Under the lock of the account: of two versions at once, the second counts the first.
  await lockAccount(database, caller.accountId)
  const stored = await countStored(database, caller.accountId)
  const most = caller.isOperator ? STORED_PRICES_MAX : PARENT_PRICES_MAX
  if (stored.prices + version.prices.length > most) {
    throw tooMany(`An account stores at most ${most} prices, over all versions of its lists.`)
  }
  if (!caller.isOperator && stored.versions >= PARENT_VERSIONS_MAX) {
    throw tooMany(`An account stores at most ${PARENT_VERSIONS_MAX} versions, over all of its lists.`)
  }
  const madeBy = (await findActorName(database, caller)) ?? ''
  await insertPriceVersion(database, { ...version, madeBy })
  await raisePriceRegisterVersion(database)
}

function tooMany(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}
