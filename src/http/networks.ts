/*
 * Who an address stands for. A home or a phone with IPv6 has a whole /64, and changes its address within it as it likes. An
 * IPv4 address may stand for thousands of phones: mobile carriers share theirs out.
 */

const IPV6_GROUPS = 8
const NETWORK_GROUPS = 4
/** An IPv4 address as a server that listens on both sees it. */
export const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** What addresses of one owner have in common: IPv4 as it is, of IPv6 the first 64 bits. */
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
