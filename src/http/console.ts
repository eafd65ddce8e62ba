import { existsSync } from 'node:fs'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Refusal } from '../errors.ts'
import { nothingThere } from './error-answers.ts'
import { CONSOLE_POLICY } from './protective-headers.ts'

/**
 * The built console at /app. Its files carry their hash in their name, so browsers keep them for good. The page itself
 * is never kept, and answers every path below /app that is no file: the console finds the page by the path.
 */
export async function registerConsole(app: FastifyInstance, folder: string): Promise<void> {
  const config = { operation: 'console' }
  for (const url of ['/', '/app']) app.get(url, { config }, (_request, reply) => reply.redirect('/app/', 302))
  if (!existsSync(folder)) {
    app.get('/app/*', { config }, () => {
      throw new Refusal(503, 'unavailable', 'The console is not built: run `npm run console:build`.', {
        retryAfterSeconds: 60
      })
    })
    return
  }
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true })
  app.get('/app/assets/*', { config }, (request, reply) =>
    // Only for files that exist: else a browser would remember for a year that a file of a newer process is missing.
    reply.sendFile(`assets/${(request.params as { '*': string })['*']}`, { maxAge: '365d', immutable: true })
  )
  for (const file of ['icon.svg', 'no-picture.svg']) {
    app.get(`/app/${file}`, { config }, (_request, reply) => reply.sendFile(file))
  }
  app.get('/app/*', { config }, (request, reply) => {
    const isForPerson = request.headers.accept?.includes('text/html')
    // A missing file is a 404: the page in its place would be taken for a broken script.
    if (!isForPerson && !PAGE_ADDRESS.test((request.params as { '*': string })['*'])) throw nothingThere()
    return sendPage(reply)
  })
}

/** Letters, digits and dashes between slashes: pages have no other names. */
const PAGE_ADDRESS = /^(?:[\w-]+(?:\/[\w-]+)*\/?)?$/

function sendPage(reply: FastifyReply): FastifyReply {
  reply.header('content-security-policy', CONSOLE_POLICY).header('cache-control', 'no-cache')
  return reply.sendFile('index.html', { cacheControl: false })
}
