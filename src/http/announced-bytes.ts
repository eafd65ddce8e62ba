import type { FastifyRequest } from 'fastify'

/** What the request says its body will be; of one that does not say, as much as it may be. */
export function announcedBytes({ headers, routeOptions }: FastifyRequest): number {
  const limit = routeOptions.bodyLimit ?? 0
  if (headers['content-length'] === undefined) return headers['transfer-encoding'] === undefined ? 0 : limit
  return Math.min(Number(headers['content-length']) || 0, limit)
}
