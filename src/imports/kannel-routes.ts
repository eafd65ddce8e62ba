import type { Note, RouteDraft } from './imported.ts'
import type { KannelGroup } from './kannel-file.ts'
import type { ReadSmsc } from './kannel-smsc.ts'

/**
 * Routes by prefix. Kannel asks each connection whether it takes a number; Chappe takes the longest prefix. So each
 * prefix that any connection names gets a route, with the connections that would take such a number.
 */
export function toRoutes(smscs: readonly ReadSmsc[], { groups, notes }: { groups: KannelGroup[]; notes: Note[] }) {
  const named = smscs.flatMap((smsc) => [...smsc.allowedPrefixes, ...smsc.deniedPrefixes, ...smsc.preferredPrefixes])
  const routes: RouteDraft[] = []
  for (const prefix of [...new Set(named)].sort().concat('')) {
    const carriers = smscs
      .filter((smsc) => takes(smsc, prefix))
      .sort((a, b) => Number(prefers(b, prefix)) - Number(prefers(a, prefix)))
      .map(({ carrier }) => carrier.name)
    if (carriers.length > 0) routes.push({ channel: 'sms', prefix, carriers })
    else if (prefix !== '') noteUnrouted(prefix, { groups, notes })
  }
  return routes
}

/** As Kannel: where there are both lists, a number that is allowed, or not denied, is taken. */
function takes({ allowedPrefixes, deniedPrefixes }: ReadSmsc, prefix: string): boolean {
  const isIn = (prefixes: readonly string[]) => prefixes.some((each) => prefix.startsWith(each))
  const isAllowed = isIn(allowedPrefixes)
  return deniedPrefixes.length === 0 ? isAllowed || allowedPrefixes.length === 0 : isAllowed || !isIn(deniedPrefixes)
}

function prefers({ preferredPrefixes }: ReadSmsc, prefix: string): boolean {
  return preferredPrefixes.some((each) => prefix.startsWith(each))
}

function noteUnrouted(prefix: string, { groups, notes }: { groups: KannelGroup[]; notes: Note[] }): void {
  const keys = ['denied-prefix', 'allowed-prefix']
  const values = groups.flatMap(({ values }) => keys.flatMap((key) => values.get(key) ?? []))
  const value = values.find(({ text }) => text.includes(prefix)) ?? { file: '', line: 0 }
  const why = 'no connection takes these numbers; here a route with a shorter prefix would'
  notes.push({ file: value.file, line: value.line, what: `numbers that begin with ${prefix}`, why })
}
