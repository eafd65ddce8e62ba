import { queryOptions } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { call, download, type Schemas } from '../../../lib/api.ts'
import type { Language } from '../../../lib/language.ts'

export type Statement = Schemas['Statement']
export type StatementHead = Schemas['StatementHead']

/** Of an account below; undefined for the own one. */
export type OfAccount = { account?: number }

/** The account that the address names. */
export function useOfAccount(): OfAccount {
  const { account } = useSearch({ strict: false }) as { account?: unknown }
  return typeof account === 'number' && Number.isInteger(account) ? { account } : {}
}

export const statementsQuery = (of: OfAccount, page: { page: number; limit: number }) =>
  queryOptions({
    queryKey: ['statements', of, page],
    queryFn: () => call('listStatements', { query: { ...of, ...page } })
  })

export const statementQuery = (of: OfAccount, month: string) =>
  queryOptions({
    queryKey: ['statements', of, month],
    queryFn: () => call('readStatement', { path: { month }, query: of })
  })

export const fetchPdf = (of: OfAccount, month: string, language: Language) =>
  download('extractStatement', { month }, { ...of, language }, 'application/pdf')

export const fetchCsv = (of: OfAccount, month: string) => download('extractStatement', { month }, of)

export const fetchUses = (of: OfAccount, days: { from: string; to: string }) =>
  download('extractCreditUses', {}, { ...of, ...days })

/** `November 2026`. */
export function monthName(month: string, locale: string): string {
  const name = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`)
  )
  return name.charAt(0).toUpperCase() + name.slice(1)
}
