import { queryOptions } from '@tanstack/react-query'
import { call, download, type Schemas } from '../../../lib/api.ts'
import { upload } from '../../../lib/upload.ts'

export type Margin = Schemas['Margin']
export type CreditPrice = Schemas['CreditMoney']
export type CarrierCost = Schemas['CarrierCost']

/** Days of UTC; without them the last 30. */
export interface Period {
  from?: string | undefined
  to?: string | undefined
}

export const marginsQuery = (period: Period) =>
  queryOptions({ queryKey: ['margins', period], queryFn: () => call('extractMargins', { query: { ...period } }) })

export const downloadMargins = (period: Period) => download('extractMargins', {}, { ...period })

export const creditPricesQuery = queryOptions({
  queryKey: ['credit-prices'],
  queryFn: () => call('listCreditPrices')
})

export const setCreditPrice = (
  by: 'operator' | 'parent',
  id: number,
  body: Pick<CreditPrice, 'msgType' | 'price' | 'currency'>
) => call(by === 'operator' ? 'setAccountCreditPrice' : 'setSubAccountCreditPrice', { path: { id }, body })

export const carrierCostsQuery = queryOptions({
  queryKey: ['carrier-costs'],
  queryFn: () => call('extractCarrierCosts')
})

export const downloadCarrierCosts = () => download('extractCarrierCosts')

/** Stores the costs of a file in place of all before, or only checks them. */
export function sendCostFile(file: File, { isCheck }: { isCheck: boolean }) {
  const form = new FormData()
  form.set('file', file)
  return upload('importCarrierCosts', form, { query: isCheck ? { check: 'true' } : {} })
}
