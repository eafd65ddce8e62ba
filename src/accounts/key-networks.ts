import { BlockList, isIP } from 'node:net'

/* The networks that a key may be used from: `10.0.0.0/8`, `2001:db8::/32`, or one address. */

interface Network {
  address: string
  family: 'ipv4' | 'ipv6'
  bits: number
}

/** Undefined for text that is no network. */
export function readNetwork(text: string): Network | undefined {
  const parts = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text)
  const address = parts?.[1] ?? ''
  const version = isIP(address)
  // An address of IPv4 in the form of IPv6 would never match: it is compared in its own form.
  if (version === 0 || /^::ffff:/i.test(address)) return undefined
  const family = version === 6 ? 'ipv6' : 'ipv4'
  const bitsMax = version === 6 ? 128 : 32
  const bits = Number(parts?.[2] ?? bitsMax)
  return bits <= bitsMax ? { address, family, bits } : undefined
}

/** The texts were checked when the key was made. */
export function toNetworks(texts: readonly string[]): BlockList {
  const networks = new BlockList()
  for (const text of texts) {
    const network = readNetwork(text)
    if (network) networks.addSubnet(network.address, network.bits, network.family)
  }
  return networks
}

/** An IPv4 address may come written as IPv6: `::ffff:10.0.0.1`. */
export function isWithin(address: string, networks: BlockList): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return networks.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}

/** Whether each address of the first networks is in one of the second. */
export function areNetworksWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((text) => {
    const network = readNetwork(text)
    return outer.some((other) => {
      const wider = readNetwork(other)
      if (!network || !wider || wider.family !== network.family || wider.bits > network.bits) return false
      return toNetworks([other]).check(network.address, network.family)
    })
  })
}
