import type { FastifyRequest } from 'fastify'
import { MAPPED } from '../http/networks.ts'

/** Addresses of local networks and of this machine (RFC 1918, 6598, 3927, 4193, 4291). */
export function isLocalAddress(address: string): boolean {
  return LOCAL.test(MAPPED.exec(address)?.[1] ?? address)
}

const LOCAL =
  /^(?:10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd]|fe[89ab])/i

const PROXIES_MAX = 1_000

/**
 * The address of the client, as in `request.ip`, which takes several microseconds behind a proxy. So the trust in a proxy is
 * remembered: a trusted proxy that names one address is believed. Empty when the client has gone.
 */
export function createAddresses(): (request: FastifyRequest) => string {
  const trusted = new Set<string>()
  return (request) => {
    const proxy = request.raw.socket.remoteAddress
    if (proxy === undefined) return ''
    const forwarded = request.headers['x-forwarded-for']
    if (typeof forwarded !== 'string' || !SINGLE.test(forwarded)) return request.ip
    if (trusted.has(proxy)) return forwarded
    const address = request.ip
    if (address === forwarded && address !== proxy && trusted.size < PROXIES_MAX) trusted.add(proxy)
    return address
  }
}

const SINGLE = /^[\da-f.:]+$/i
