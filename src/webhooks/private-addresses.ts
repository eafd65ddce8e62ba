import { BlockList, isIP } from 'node:net'

/*
 * Addresses that a webhook may not reach. A customer's target must not make us talk to our own network, to this machine or to
 * the metadata service of a cloud. From the IANA special-purpose address registries (RFC 6890).
 */

const IPV4_REFUSED: readonly [network: string, bits: number][] = [
  ['0.0.0.0', 8], // This host.
  ['10.0.0.0', 8], // Private.
  ['100.64.0.0', 10], // Carrier-grade NAT; Alibaba's metadata service.
  ['127.0.0.0', 8], // Loopback.
  ['168.63.129.16', 32], // Azure's own services for its machines, on an address that is public elsewhere.
  ['169.254.0.0', 16], // Link-local; metadata of AWS, Azure, Google and others.
  ['172.16.0.0', 12], // Private.
  ['192.0.0.0', 24], // Protocol assignments; Oracle's metadata service.
  ['192.0.2.0', 24], // Documentation.
  ['192.88.99.0', 24], // Relays of 6to4.
  ['192.168.0.0', 16], // Private.
  ['198.18.0.0', 15], // Benchmarks.
  ['198.51.100.0', 24], // Documentation.
  ['203.0.113.0', 24], // Documentation.
  ['224.0.0.0', 4], // Multicast.
  ['240.0.0.0', 4] // Reserved, and broadcast.
]

// Only these are in use for the public; ::, ::1, fc00::/7, fe80::/10, ff00::/8 and all that is unassigned are outside.
const IPV6_REACHABLE: readonly [network: string, bits: number][] = [
  ['2000::', 3], // Global unicast.
  ['64:ff9b::', 96] // NAT64: how a network without IPv4 reaches a receiver that has nothing else.
]

const IPV6_REFUSED: readonly [network: string, bits: number][] = [
  ['2001::', 23], // Protocol assignments: Teredo (an IPv4 address hides in its last bits), ORCHID.
  ['2001:db8::', 32], // Documentation.
  ['2002::', 16], // 6to4, given up by RFC 7526: hides an IPv4 address.
  ['3fff::', 20] // Documentation.
]

const reachable = new BlockList()
const refused = new BlockList()

// A rule for IPv4 holds for the same address written as ::ffff:a.b.c.d too; BlockList sees to it.
reachable.addSubnet('0.0.0.0', 0, 'ipv4')
for (const [network, bits] of IPV6_REACHABLE) reachable.addSubnet(network, bits, 'ipv6')
for (const [network, bits] of IPV6_REFUSED) refused.addSubnet(network, bits, 'ipv6')
for (const [network, bits] of IPV4_REFUSED) {
  refused.addSubnet(network, bits, 'ipv4')
  refused.addSubnet(`64:ff9b::${network}`, 96 + bits, 'ipv6')
}

/** Whether this is a public IP address. A text that is no IP address is not. */
export function isPublicAddress(address: string): boolean {
  // An address with a zone (fe80::1%eth0) is of one link only, and BlockList can't read it.
  if (isIP(address) === 0 || address.includes('%')) return false
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  return reachable.check(address, family) && !refused.check(address, family)
}
