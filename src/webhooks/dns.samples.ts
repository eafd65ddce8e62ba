import { createSocket, type RemoteInfo } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import { type Lookup, lookupWith } from './lookup.ts'

/*
 * For the tests alone: a nameserver over UDP (RFC 1035, section 4) that knows A and AAAA, and can change its answers.
 */

const TYPE_A = 1
const TYPE_AAAA = 28
const NXDOMAIN = 3

/** The addresses of each name: of its first look-up, of its second, and so on; the last list stays. */
export type Zone = Record<string, string[][] | 'silent' | 'silent for IPv6'>

export interface Nameserver {
  lookup: Lookup
  /** How often each name was looked up. */
  asked(name: string): number
  close(): Promise<void>
}

export async function startNameserver(zone: Zone): Promise<Nameserver> {
  const asked = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (query: Buffer, sender: RemoteInfo) => {
    const { name, type, questionEnd } = readQuestion(query)
    const key = `${name} ${type}`
    const times = (asked.get(key) ?? 0) + 1
    asked.set(key, times)
    const lists = zone[name]
    if (lists === 'silent' || (lists === 'silent for IPv6' && type === TYPE_AAAA)) return
    const list = lists === 'silent for IPv6' ? [] : lists?.[Math.min(times, lists.length) - 1]
    const addresses = list?.filter((address) => typeOf(address) === type)
    socket.send(answer(query.subarray(0, questionEnd), addresses), sender.port, sender.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    lookup: lookupWith(resolver),
    asked: (name) => asked.get(`${name} ${TYPE_A}`) ?? 0,
    async close() {
      resolver.cancel()
      socket.close()
      await once(socket, 'close')
    }
  }
}

function readQuestion(query: Buffer): { name: string; type: number; questionEnd: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), questionEnd: at + 5 }
}

/** The question again with its answers; without a list, that there is no such name. */
function answer(question: Buffer, addresses: string[] | undefined): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(0x8580 | (addresses ? 0 : NXDOMAIN), 2) // An authoritative answer, recursion asked for and available.
  head.writeUInt16BE(addresses?.length ?? 0, 6)
  head.writeUInt32BE(0, 8) // No authority, nothing additional: EDNS is left out.
  return Buffer.concat([head, ...(addresses ?? []).map(record)])
}

function record(address: string): Buffer {
  const data = bytesOf(address)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0) // The name of the question.
  head.writeUInt16BE(typeOf(address), 2)
  head.writeUInt16BE(1, 4) // Class IN; the time to live stays 0.
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function typeOf(address: string): number {
  return isIPv4(address) ? TYPE_A : TYPE_AAAA
}

function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const { hostname } = new URL(`http://[${address}]`)
  const [left = '', right] = hostname.slice(1, -1).split('::')
  const [before, after] = [left, right ?? ''].map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => '0')
  const groups = [...(before ?? []), ...zeros, ...(after ?? [])].map((group) => group.padStart(4, '0'))
  return Buffer.from(groups.join(''), 'hex')
}
