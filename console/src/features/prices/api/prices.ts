import { queryOptions } from '@tanstack/react-query'
import { call, download, type Schemas } from '../../../lib/api.ts'
import { upload } from '../../../lib/upload.ts'

export type PriceList = Schemas['PriceList']
export type PriceVersion = Schemas['PriceVersion']
export type PricedAccount = Schemas['PricedAccount']
export type PriceRow = Schemas['PriceRow']

export const myPricesQuery = queryOptions({ queryKey: ['prices', 'own'], queryFn: () => call('extractMyPrices') })
export const priceListsQuery = queryOptions({ queryKey: ['prices', 'lists'], queryFn: () => call('listPriceLists') })
export const pricedAccountsQuery = queryOptions({
  queryKey: ['prices', 'accounts'],
  queryFn: () => call('listPricedAccounts')
})

export const versionQuery = (id: number, version: number) =>
  queryOptions({
    queryKey: ['prices', 'version', id, version],
    queryFn: () => call('extractPriceVersion', { path: { id, version } })
  })

export interface PriceFile {
  /** Undefined: a new list. */
  listId: number | undefined
  name: string
  /** ISO 8601; null is now. */
  validFrom: string | null
  file: File
}

/** Stores the prices of a file, or only checks them. */
export function sendPriceFile({ listId, name, validFrom, file }: PriceFile, { isCheck }: { isCheck: boolean }) {
  const form = new FormData()
  form.set('file', file)
  if (validFrom !== null) form.set('valid_from', validFrom)
  const query: Record<string, string> = isCheck ? { check: 'true' } : {}
  if (listId !== undefined) return upload('followPriceList', form, { path: { id: listId }, query })
  form.set('name', name)
  return upload('createPriceList', form, { query })
}

export const downloadVersion = (id: number, version: number) => download('extractPriceVersion', { id, version })

export const downloadMyPrices = () => download('extractMyPrices')

export const setPriceList = (by: 'operator' | 'parent', id: number, listId: number | null) =>
  call(by === 'operator' ? 'setAccountPriceList' : 'setSubAccountPriceList', {
    path: { id },
    body: { price_list: listId }
  })

export const makeDefault = (id: number, isDefault: boolean) =>
  call('changePriceList', { path: { id }, body: { is_default: isDefault } })
