import type { FastifyRequest } from 'fastify'

/** The announced length of a body; the limit where none is announced. */
export function announcedBytes({ headers, routeOptions }: FastifyRequest): number {
  const limit = routeOptions.bodyLimit ?? 0
  if (headers['content-length'] === undefined) return headers['transfer-encoding'] === undefined ? 0 : limit
  return Math.min(Number(headers['content-length']) || 0, limit)
}
