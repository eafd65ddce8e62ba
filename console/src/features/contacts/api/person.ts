import { queryOptions } from '@tanstack/react-query'
import { call, type Operations } from '../../../lib/api.ts'

/** Everything that is known of a number. */
export type Person = Operations['exportNumber']['answer']

export const personQuery = (number: string) =>
  queryOptions({
    queryKey: ['person', number],
    queryFn: ({ signal }) => call('exportNumber', { path: { number }, signal })
  })

/** All of it in one file, as it is now: the page shows less. */
export async function downloadPerson(number: string): Promise<Blob> {
  const person = await call('exportNumber', { path: { number } })
  return new Blob([JSON.stringify(person, null, 2)], { type: 'application/json' })
}

export const eraseNumber = (number: string) => call('eraseNumber', { path: { number } })
