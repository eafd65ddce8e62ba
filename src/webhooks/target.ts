import { isIP } from 'node:net'
import type { Lookup } from './lookup.ts'
import { isPublicAddress } from './private-addresses.ts'

/** The target of a webhook, in the parts of a request. */
export interface Target {
  readonly isSecure: boolean
  /** A name in lower case without a dot at its end, or an IP address without brackets. */
  readonly host: string
  readonly port: number
  /** With the query. */
  readonly path: string
}

/** The problem is the end of a sentence about the URL: "must not…". */
export type ReadTarget = { target: Target } | { problem: string }

const URL_LENGTH_MAX = 2_048
const CONTROL = /\p{Cc}/u
/** Names that are private by their meaning: RFC 6761, RFC 6762, and ICANN's choice of 2024 for private networks. */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal)$/

/** Checks a URL without resolving its name. */
export function readTarget(text: string, { allowPrivate }: { allowPrivate: boolean }): ReadTarget {
  if (text.length > URL_LENGTH_MAX) return { problem: `must have at most ${URL_LENGTH_MAX} characters` }
  // URL would drop them, and the shown URL would not be the called one.
  if (CONTROL.test(text)) return { problem: 'must not hold line ends or other control characters' }
  const url = URL.parse(text)
  if (!url) return { problem: 'must be a URL, such as https://example.com/webhooks' }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: 'must start with https:// or http://' }
  if (url.username !== '' || url.password !== '') return { problem: 'must not hold a user or a password' }
  const target = toTarget(url)
  if (target.host === '') return { problem: 'must name a host, such as https://example.com/webhooks' }
  if (!allowPrivate && isPrivateHost(target.host)) return { problem: privateProblem(target.host) }
  return { target }
}

/**
 * Checks a URL and resolves its name. A name that is not found, or cannot be resolved now, is accepted: it is checked again at
 * every connection.
 */
export async function checkTarget(
  text: string,
  { allowPrivate, lookup }: { allowPrivate: boolean; lookup: Lookup }
): Promise<ReadTarget> {
  const read = readTarget(text, { allowPrivate })
  if ('problem' in read || allowPrivate || isIP(read.target.host) !== 0) return read
  const addresses = await lookup(read.target.host).catch(() => [])
  if (addresses.length === 0 || addresses.some(isPublicAddress)) return read
  return { problem: privateProblem(read.target.host) }
}

/** A host that is refused whatever its name may resolve to. */
export function isPrivateHost(host: string): boolean {
  return isIP(host) === 0 ? PRIVATE_NAMES.test(host) : !isPublicAddress(host)
}

function privateProblem(host: string): string {
  return `must not lead to a private address, as ${host} does`
}

/** URL has made every way to write an IPv4 address (2130706433, 0177.0.0.1, 0x7f.1) into the usual one. */
function toTarget(url: URL): Target {
  const isSecure = url.protocol === 'https:'
  return {
    isSecure,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, ''),
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search
  }
}
