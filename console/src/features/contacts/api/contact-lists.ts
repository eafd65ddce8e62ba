import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type ContactList = Schemas['Contactlists']

/** The pause between reads while the RCS capability of phones is checked. */
const CHECKING_POLL_MS = 5_000

export const contactListsQuery = (search = '') =>
  queryOptions({
    queryKey: ['contact lists', search],
    queryFn: ({ signal }) => call('listContactLists', { query: { search }, signal })
  })

export const contactListQuery = (id: number) =>
  queryOptions({
    queryKey: ['contact list', id],
    queryFn: ({ signal }) => call('readContactList', { path: { id }, signal }),
    refetchInterval: ({ state }) =>
      state.data && state.data.contacts_count > 0 && state.data.rcsCapabilityStatus !== 'ready'
        ? CHECKING_POLL_MS
        : false
  })

/** Read again with each change of the list and of its RCS capability. */
export const reachQuery = ({ id, contacts_count, rcsCapabilityStatus }: ContactList) =>
  queryOptions({
    queryKey: ['contact list', id, 'reach', contacts_count, rcsCapabilityStatus],
    queryFn: ({ signal }) => call('readListReach', { path: { id }, signal }),
    enabled: contacts_count > 0,
    placeholderData: keepPreviousData
  })

export const createContactList = (name: string) => call('createContactList', { body: { name } })
export const renameContactList = ({ id, name }: { id: number; name: string }) =>
  call('updateContactList', { path: { id }, body: { name } })
export const deleteContactList = (id: number) => call('deleteContactList', { path: { id } })

/** After a list, or its contacts, have changed. */
export async function refreshLists(client: QueryClient, id?: number): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['contact lists'] }),
    ...(id === undefined ? [] : [client.invalidateQueries({ queryKey: ['contact list', id] })])
  ])
}

/** A deleted list is not read again. */
export async function forgetList(client: QueryClient, id: number): Promise<void> {
  client.removeQueries({ queryKey: ['contact list', id] })
  await refreshLists(client)
}
