import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { createFindPicture } from './find-picture.ts'
import { fileNameOf, PICTURES_PATH } from './picture.ts'

/*
 * `GET /p/{code}.{ending}`: the platform, phones and browsers fetch pictures here, without credentials. The content under an
 * address never changes, so all of them may keep it.
 */

/** Two codes in a row, and the ending of a type. */
const NAME = /^([0-9A-Za-z]{20})\.[a-z]{3}$/

/** For a stranger's picture, under an address that names its content. */
export const PICTURE_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  // A browser that opens a stranger's file must take it for a picture and nothing else.
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin'
}

export function registerPictures(app: FastifyInstance, pool: Pool): void {
  const find = createFindPicture(pool)

  async function handler(request: FastifyRequest<{ Params: { name: string } }>, reply: FastifyReply) {
    const { name } = request.params
    const [, code] = NAME.exec(name) ?? []
    const picture = code === undefined ? undefined : await find(code)
    if (code === undefined || !picture || name !== fileNameOf({ ...picture, code })) throw notFound('picture')
    const etag = `"${picture.sha256.toString('base64url')}"`
    reply.headers(PICTURE_HEADERS).header('etag', etag)
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    reply.type(picture.mediaType).header('content-length', picture.content.length)
    return reply.send(request.method === 'HEAD' ? undefined : picture.content)
  }

  app.get(`${PICTURES_PATH}/:name`, handler)
  app.head(`${PICTURES_PATH}/:name`, handler)
}
