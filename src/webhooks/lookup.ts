import { Resolver, lookup as systemLookup } from 'node:dns/promises'

/** The addresses of a name, at least one, in the order to try them. Rejects as node:dns does, with a code such as ENOTFOUND. */
export type Lookup = (name: string) => Promise<string[]>

// 2 s, then 4 s: a silent nameserver leaves time for the request within its 15 s.
const RESOLVER_OPTIONS = { timeout: 2_000, tries: 2 }
// A name may have hundreds of addresses; if none of the first eight answers, the receiver is down.
const ADDRESSES_MAX = 8

/**
 * Asks the nameservers directly, and not through the system: a system call holds one of the few threads of the process, so a
 * handful of names with silent nameservers would delay all webhooks. Only the system knows /etc/hosts and search domains; those
 * lead to private addresses, so the system is asked where these are allowed.
 */
export function createLookup({ allowPrivate }: { allowPrivate: boolean }): Lookup {
  if (!allowPrivate) return lookupWith(new Resolver(RESOLVER_OPTIONS))
  return async (name) => {
    const found = await systemLookup(name, { all: true })
    return found.slice(0, ADDRESSES_MAX).map(({ address }) => address)
  }
}

export function lookupWith(resolver: Resolver): Lookup {
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value.slice(0, ADDRESSES_MAX / 2) : []
    )
    if (found.length > 0) return found
    const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
    // "Not found" only when both answers say so: a failed query tells nothing about the name.
    throw errors.find((error) => !isNotFound(error)) ?? errors[0]
  }
}

export function isNotFound(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOTFOUND' || code === 'ENODATA'
}
