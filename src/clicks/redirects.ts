import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { databaseNow } from '../database/clock.ts'
import { notFound, Refusal } from '../errors.ts'
import { toRefusal } from '../http/error-answers.ts'
import type { Log } from '../http/log.ts'
import { networkOf } from '../http/networks.ts'
import type { FoundLink } from '../short-links/short-links.store.ts'
import { OPT_OUT_TARGET } from '../short-links/short-url.ts'
import { toWebAddress } from '../web-addresses/web-address.ts'
import type { Clicks } from './clicks.ts'
import type { FindLink } from './find-links.ts'
import { isCertainlyRobot } from './judge-click.ts'
import { LINK_HEADERS, sendLinkRefusal, sendStopPage } from './link-pages.ts'
import type { LinkMetrics } from './metrics.ts'
import { createMissLimit } from './miss-limit.ts'
import { createAddresses, isLocalAddress } from './networks.ts'
import type { Openings } from './openings.ts'

/*
 * The links in messages: `GET /s/{code}`. A stranger with a phone opens them, without credentials. The answer is a redirect,
 * and it leaves before anything is counted. Nothing is logged, since a reader of the log could open the link.
 */

/** The path at which links always work. */
const PATH = '/s'

type LinkRequest = FastifyRequest<{ Params: { '*'?: string; code?: string } }>

export interface RedirectParts {
  find: FindLink
  /** Opts out the recipient of a link; false if that person is not known any more. */
  optOut(link: FoundLink): Promise<boolean>
  /** The name that the page of an opt-out link shows. */
  nameSender(link: FoundLink): Promise<string | undefined>
  openings: Openings
  clicks: Clicks
  metrics: LinkMetrics
  log: Log
  /** CHAPPE_LINK_URL: its path leads to the same links. */
  linkUrl: string | undefined
}

export function registerRedirects(app: FastifyInstance, parts: RedirectParts): void {
  const redirects = new Redirects(parts)
  // Returns nothing: the framework would wait for the end of a returned reply.
  function handler(request: LinkRequest, reply: FastifyReply): void {
    redirects.open(request, reply, request.params['*'] ?? request.params.code ?? '')
  }
  for (const path of pathsOf(parts.linkUrl)) {
    app.get(urlOf(path), handler)
    app.head(urlOf(path), handler)
  }
  // A context of its own: the form of the page is empty, and whatever else is posted here is not read.
  app.register(async (forms) => {
    forms.removeAllContentTypeParsers()
    forms.addContentTypeParser('*', { parseAs: 'string', bodyLimit: FORM_BYTES_MAX }, (_request, _text, done) =>
      done(null, undefined)
    )
    for (const path of pathsOf(parts.linkUrl)) {
      forms.post(urlOf(path), (request: LinkRequest, reply) => {
        redirects.optOut(request, reply, request.params['*'] ?? request.params.code ?? '')
      })
    }
  })
}

const FORM_BYTES_MAX = 1_024

/** At the root, only texts with the form of a code: other paths belong to other routes. */
function urlOf(path: string): string {
  return path === '' ? '/:code(^[0-9A-Za-z]{10}$)' : `${path}/*`
}

class Redirects {
  readonly #parts: RedirectParts
  readonly #missLimit = createMissLimit()
  readonly #addressOf = createAddresses()

  constructor(parts: RedirectParts) {
    this.#parts = parts
  }

  open(request: FastifyRequest, reply: FastifyReply, code: string): void {
    const found = this.#parts.find(code)
    if ('then' in found) {
      found.then((link) => this.#answer(request, reply, link)).catch((error) => this.#fail(request, reply, error))
    } else this.#answer(request, reply, found)
  }

  /** The one click on the page of an opt-out link. A second one changes nothing. */
  optOut(request: FastifyRequest, reply: FastifyReply, code: string): void {
    const work = async () => {
      const link = await this.#parts.find(code)
      if (link?.url !== OPT_OUT_TARGET || !(await this.#parts.optOut(link))) this.#refuseMiss(request, reply)
      else sendStopPage(reply, request, { page: 'done', from: await this.#parts.nameSender(link) })
    }
    work().catch((error) => this.#fail(request, reply, error))
  }

  #fail(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const refusal = toRefusal(error, (problem) => this.#parts.log.error({ err: problem }, 'a link could not be opened'))
    if (!reply.raw.headersSent) this.#refuse(request, reply, refusal, 'unavailable')
  }

  #answer(request: FastifyRequest, reply: FastifyReply, link: FoundLink | undefined): void {
    if (link?.url === OPT_OUT_TARGET) {
      this.#parts
        .nameSender(link)
        .then((from) => sendStopPage(reply, request, { page: 'ask', from }))
        .catch((error) => this.#fail(request, reply, error))
      return
    }
    const address = link && toWebAddress(link.url)
    if (!link || address === undefined || !WEB.test(address)) {
      this.#refuseMiss(request, reply)
      return
    }
    // Past the framework's own way to answer, which costs a tenth of a redirect and adds nothing to this one.
    reply.hijack()
    reply.raw.writeHead(302, ['location', address, ...REDIRECT_HEADERS])
    reply.raw.end()
    this.#parts.metrics.onRedirect('found')
    this.#count(request, link)
  }

  /** Only misses are limited: thousands of phones may share the address of a guesser, and their links must open. */
  #refuseMiss(request: FastifyRequest, reply: FastifyReply): void {
    const from = this.#addressOf(request)
    const waitSeconds = this.#missLimit.waitSecondsOf(networkOf(from))
    if (waitSeconds > 0) {
      this.#refuse(request, reply, tooMany(waitSeconds), 'limited')
      return
    }
    if (!isSharedByAll(request, from)) this.#missLimit.add(networkOf(from))
    this.#refuse(request, reply, notFound('link'), 'missing')
  }

  #count(request: FastifyRequest, link: FoundLink): void {
    const { openings, clicks, metrics } = this.#parts
    const { method, headers } = request
    if (isCertainlyRobot(method, headers)) {
      metrics.onRobot()
      return
    }
    const address = this.#addressOf(request)
    const isShared = link.position === null
    const network = !isShared && isTelling(request, address) ? networkOf(address) : undefined
    if (network !== undefined) openings.add(network, link.code)
    clicks.add({
      link,
      at: databaseNow().getTime(),
      hasLanguage: Boolean(headers['accept-language']),
      network,
      visitor: isShared ? `${address}\n${headers['user-agent']}` : '',
      isLate: false
    })
  }

  #refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    refusal: Refusal,
    result: 'missing' | 'limited' | 'unavailable'
  ): void {
    this.#parts.metrics.onRedirect(result)
    sendLinkRefusal(reply, request, refusal)
  }
}

function pathsOf(linkUrl: string | undefined): string[] {
  const own = linkUrl === undefined ? PATH : new URL(linkUrl).pathname.replace(/\/+$/, '')
  return [...new Set([PATH, own])]
}

const WEB = /^https?:/i
const REDIRECT_HEADERS = [...Object.entries(LINK_HEADERS).flat(), 'content-length', '0']

/** Whether openings from an address tell something: not when all requests seem to come from there. */
function isTelling(request: FastifyRequest, address: string): boolean {
  return address !== '' && !isUntrustedProxy(request, address) && !isLocalAddress(address)
}

/** Whether the request came through a proxy that is not trusted. */
function isUntrustedProxy({ headers, raw }: FastifyRequest, address: string): boolean {
  if (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined) return false
  return address === raw.socket.remoteAddress
}

/** The same, on a local network: if the proxy waits, all its clients wait. From outside, the header may be forged. */
function isSharedByAll(request: FastifyRequest, address: string): boolean {
  return isUntrustedProxy(request, address) && isLocalAddress(address)
}

function tooMany(waitSeconds: number): Refusal {
  return new Refusal(429, 'rate_limited', 'Too many links that lead nowhere were opened from here; try again later.', {
    retryAfterSeconds: waitSeconds
  })
}
