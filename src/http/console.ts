import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import { nothingThere } from './error-answers.ts'
import { escapeHtml } from './escape-html.ts'
import { CONSOLE_POLICY } from './protective-headers.ts'

/** What the page of the console shows from its first moment. */
export interface Dress {
  name: string
  /** As `#rrggbb`; null for the console's own. */
  colour: string | null
  /** The path of an image. */
  logo: string | null
}

/** Undefined where the console is to be as it was built. */
export type DressConsole = (request: FastifyRequest) => Dress | undefined

/**
 * The built console at /app. Its files carry their hash in their name, so browsers keep them for good. The page itself
 * is never kept, and answers every path below /app that is no file: the console finds the page by the path.
 */
export async function registerConsole(app: FastifyInstance, folder: string, dress?: DressConsole): Promise<void> {
  const options = { exposeHeadRoute: true, config: { operation: 'console' } }
  for (const url of ['/', '/app']) app.get(url, options, (_request, reply) => reply.redirect('/app/', 302))
  if (!existsSync(folder)) {
    app.get('/app/*', options, () => {
      throw new Refusal(
        503,
        'unavailable',
        'The console is not built: run `npm ci --include=dev`, then `npm run console:build`.',
        {
          retryAfterSeconds: 60
        }
      )
    })
    return
  }
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  function sendPage(reply: FastifyReply, wanted: Dress | undefined): FastifyReply {
    reply.header('content-security-policy', CONSOLE_POLICY).header('cache-control', 'no-cache')
    // As it was built, and so compressed in advance.
    if (!wanted) return reply.sendFile('index.html', { cacheControl: false })
    return reply.type('text/html; charset=utf-8').send(dressed(page, wanted))
  }
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true })
  app.get('/app/assets/*', options, (request, reply) =>
    // Only for files that exist: else a browser would remember for a year that a file of a newer process is missing.
    reply.sendFile(`assets/${(request.params as { '*': string })['*']}`, { maxAge: '365d', immutable: true })
  )
  for (const file of ['icon.svg', 'no-picture.svg']) {
    app.get(`/app/${file}`, options, (_request, reply) => reply.sendFile(file))
  }
  app.get('/app/*', options, (request, reply) => {
    const isForPerson = request.headers.accept?.includes('text/html')
    // A missing file is a 404: the page in its place would be taken for a broken script.
    if (!isForPerson && !PAGE_ADDRESS.test((request.params as { '*': string })['*'])) throw nothingThere()
    return sendPage(reply, dress?.(request))
  })
}

/** Letters, digits and dashes between slashes: pages have no other names. */
const PAGE_ADDRESS = /^(?:[\w-]+(?:\/[\w-]+)*\/?)?$/

/** The name in the built page. */
const OWN_NAME = 'Chappe'

/** The page with another name, colour and logo: its script reads them from the first element, before it draws anything. */
function dressed(page: string, { name, colour, logo }: Dress): string {
  const text = escapeHtml(name)
  const facts = [`data-name="${text}"`, colour && `data-colour="${colour}"`, logo && `data-logo="${logo}"`]
  return page
    .replace('<html ', () => `<html ${facts.filter(Boolean).join(' ')} `)
    .replaceAll(`>${OWN_NAME}<`, () => `>${text}<`)
    .replace(/href="[^"]*icon\.svg"/, () => `href="${logo ?? 'data:,'}"`)
}
