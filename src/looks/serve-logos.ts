import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { PICTURE_HEADERS } from '../pictures/serve-pictures.ts'
import { LOGOS_PATH } from './look.ts'
import { findLogo } from './looks.store.ts'
import type { Looks } from './looks.ts'

/*
 * `GET /look/logo/{name}`: the log-in page shows the logo, so it needs no credentials. The name holds the hash of the content,
 * so browsers keep it. Only logos that this process knows are looked up.
 */

/** 8 MiB at most. */
const KEPT_MAX = 64

export function registerLogos(app: FastifyInstance, { pool, looks }: { pool: Pool; looks: Looks }): void {
  const kept = new Map<string, Promise<Buffer | undefined>>()

  /** Requests at the same moment share one look-up. */
  function read(name: string, key: { accountId: number; sha256: string }): Promise<Buffer | undefined> {
    const known = kept.get(name)
    if (known) return known
    const content = findLogo(pool, key)
    kept.set(name, content)
    content.then(
      (found) => found ?? kept.delete(name),
      () => kept.delete(name)
    )
    if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value ?? name)
    return content
  }

  async function handler({ params: { name } }: FastifyRequest<{ Params: { name: string } }>, reply: FastifyReply) {
    const look = looks.withLogo(name)
    const content = look?.logo && (await read(name, { accountId: look.accountId, sha256: look.logo.sha256 }))
    if (!look?.logo || !content) throw notFound('logo')
    return reply.headers(PICTURE_HEADERS).type(look.logo.mediaType).send(content)
  }

  app.get(`${LOGOS_PATH}/:name`, { exposeHeadRoute: true }, handler)
}
