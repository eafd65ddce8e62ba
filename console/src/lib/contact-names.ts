import { useQuery } from '@tanstack/react-query'
import { call } from './api.ts'

/* The names of numbers, wherever numbers are shown. Numbers that appear together are asked for together. */

/** The most that the service takes at once. */
const NUMBERS_MAX = 100
const GATHER_MS = 10
const FRESH_MS = 60_000

interface Wanted {
  number: string
  resolve(name: string): void
  reject(error: unknown): void
}

let wanted: Wanted[] = []

function findName(number: string): Promise<string> {
  return new Promise((resolve, reject) => {
    if (wanted.length === 0) setTimeout(askForAll, GATHER_MS)
    wanted.push({ number, resolve, reject })
  })
}

function askForAll(): void {
  const all = wanted
  wanted = []
  for (let start = 0; start < all.length; start += NUMBERS_MAX) void ask(all.slice(start, start + NUMBERS_MAX))
}

async function ask(some: readonly Wanted[]): Promise<void> {
  try {
    const found = await call('listContactNames', { body: { numbers: some.map(({ number }) => number) } })
    const names = new Map(
      found.map(({ recipient, champ_prenom: first, champ_nom: last }) => [recipient, `${first} ${last}`.trim()])
    )
    for (const { number, resolve } of some) resolve(names.get(number) ?? '')
  } catch (error) {
    for (const { reject } of some) reject(error)
  }
}

/** Carriers pass on replies of senders that are no phone numbers. */
export const isPhone = (number: string) => /^\+\d+$/.test(number)

/** The name of a number in E.164; empty while it is unknown. */
export function useContactName(number: string): string {
  const { data = '' } = useQuery({
    queryKey: ['contact names', number],
    queryFn: () => findName(number),
    staleTime: FRESH_MS,
    enabled: isPhone(number)
  })
  return data
}
