import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'
import { type Draft, splitNumbers } from '../draft.ts'

/** A person who would get the message, with their fields. */
export interface Person {
  phone: string
  values: Record<string, string>
}

const PEOPLE_MAX = 20

export const contactListsQuery = queryOptions({
  queryKey: ['contact lists'],
  queryFn: () => call('listContactLists', {})
})

/** More segments than somebody chooses from. */
const SEGMENTS_SHOWN_MAX = 1_000

export const segmentsQuery = queryOptions({
  queryKey: ['segments', 'all'],
  queryFn: () => call('listSegments', { query: { limit: SEGMENTS_SHOWN_MAX } })
})

/** The first people who would get it: for a preview with their own values. */
export function usePeople({ audience, numbers, lists, file }: Draft): Person[] {
  const [list] = lists
  const contacts = useQuery({
    queryKey: ['contact list', Number(list), 'first'],
    queryFn: () => call('pageContacts', { path: { id: Number(list) }, query: { limit: PEOPLE_MAX } }),
    enabled: audience === 'lists' && list !== undefined
  })
  const rows = useQuery({
    queryKey: ['file preview', file?.name, file?.size, file?.lastModified],
    queryFn: () => previewFile(file as File),
    enabled: audience === 'file' && file !== null,
    retry: false
  })
  if (audience === 'numbers')
    return splitNumbers(numbers)
      .slice(0, PEOPLE_MAX)
      .map((phone) => ({ phone, values: {} }))
  if (audience === 'file') return rows.data ?? []
  return (contacts.data?.items ?? []).map(({ id: _id, tel, ...values }) => ({ phone: tel, values: { ...values, tel } }))
}

async function previewFile(file: File): Promise<Person[]> {
  const body = new FormData()
  body.set('file', file)
  const { columns, rows } = await call('previewContacts', { body })
  const phoneAt = Math.max(
    0,
    columns.findIndex(({ field }) => field === 'tel')
  )
  return rows.map((row) => ({
    phone: row[phoneAt] ?? '',
    values: Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? '']))
  }))
}
