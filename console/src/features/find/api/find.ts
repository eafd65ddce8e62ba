import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { formatPhone } from '../../../lib/format-phone.ts'

/** A page that a search leads to. */
export interface Found {
  kind: 'person' | 'message' | 'list' | 'number' | 'account' | 'subAccount'
  key: string
  title: string
  note: string
  to: string
}

const EACH_MAX = 5
const SEARCH_LENGTH_MIN = 2

/** People, messages, lists, a number, and for those who have them accounts. Sought together; one that fails is left out. */
export const findQuery = (search: string, me: Schemas['Me'] | undefined) =>
  queryOptions({
    queryKey: ['find', search],
    queryFn: async ({ signal }): Promise<Found[]> => {
      const parts = await Promise.all(
        [
          Promise.resolve(numberIn(search)),
          findPeople(search, signal),
          findMessages(search, signal),
          findLists(search, signal),
          ...(me?.role === 'operator' ? [findAccounts(search, signal)] : []),
          ...(me?.role === 'sub-account' ? [] : [findSubAccounts(search, signal)])
        ].map((part) => part.catch(() => []))
      )
      const found = parts.flat()
      // A number with a name is there by its name.
      return found.filter(
        ({ kind, to }) => kind !== 'number' || !found.some((other) => other.kind === 'person' && other.to === to)
      )
    },
    enabled: search.length >= SEARCH_LENGTH_MIN
  })

/** A typed number leads to its page, also where nothing is known of it. */
function numberIn(search: string): Found[] {
  const digits = search.replaceAll(/[\s.()-]/g, '')
  const number = /^0[1-9]\d{8}$/.test(digits) ? `+33${digits.slice(1)}` : digits
  if (!/^\+\d{8,15}$/.test(number)) return []
  return [{ kind: 'number', key: number, title: formatPhone(number), note: '', to: `/numbers/${number}` }]
}

async function findPeople(search: string, signal: AbortSignal): Promise<Found[]> {
  const people = await call('findContacts', { query: { search, limit: EACH_MAX }, signal })
  return people.map(({ recipient, champ_prenom: first, champ_nom: last }) => {
    const name = `${first} ${last}`.trim()
    const number = formatPhone(recipient)
    return {
      kind: 'person',
      key: `person ${recipient}`,
      title: name === '' ? number : name,
      note: name === '' ? '' : number,
      to: `/numbers/${recipient}`
    }
  })
}

async function findMessages(search: string, signal: AbortSignal): Promise<Found[]> {
  const { items } = await call('listMessages', { query: { search, limit: EACH_MAX }, signal })
  return items.map(({ id, name, content }) => ({
    kind: 'message',
    key: `message ${id}`,
    title: name ?? content.replaceAll('\n', ' '),
    note: `#${id}`,
    to: `/messages/${id}`
  }))
}

async function findLists(search: string, signal: AbortSignal): Promise<Found[]> {
  const lists = await call('listContactLists', { query: { search }, signal })
  return lists.slice(0, EACH_MAX).map(({ id, name }) => ({
    kind: 'list',
    key: `list ${id}`,
    title: name,
    note: '',
    to: `/contacts/${id}`
  }))
}

async function findAccounts(search: string, signal: AbortSignal): Promise<Found[]> {
  const { items } = await call('listAccounts', { query: { search, limit: EACH_MAX }, signal })
  return items.map(({ id, social_reason: company, email }) => ({
    kind: 'account',
    key: `account ${id}`,
    title: company || email,
    note: email,
    to: `/operator/accounts/${id}`
  }))
}

async function findSubAccounts(search: string, signal: AbortSignal): Promise<Found[]> {
  const { items } = await call('pageSubAccounts', { query: { search, limit: EACH_MAX }, signal })
  return items.map(({ subaccount_id: id, social_reason: company, email }) => ({
    kind: 'subAccount',
    key: `sub-account ${id}`,
    title: company || email,
    note: email,
    to: `/sub-accounts/${id}`
  }))
}
