/*
 * The network that an address belongs to. A home or a phone with IPv6 has a whole /64, and changes its address within
 * it. An IPv4 address may stand for thousands of phones: mobile carriers share theirs out.
 */

const IPV6_GROUPS = 8
const NETWORK_GROUPS = 4
/** An IPv4 address as a socket for both versions shows it. */
export const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The part that addresses of one owner share: all of an IPv4 address, the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = MAPPED.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length
  if (tail !== undefined) {
    const missing = Math.max(0, IPV6_GROUPS - groups.length - after)
    groups.push(...new Array<string>(missing).fill('0'), ...tail.split(':'))
  }
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`
}
