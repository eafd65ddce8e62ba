import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../errors.ts'
import { sendRefusal } from '../http/error-answers.ts'
import { escapeHtml } from '../http/escape-html.ts'
import { DATA_HEADERS, PAGE_HEADERS } from '../http/protective-headers.ts'

/*
 * The page for a link that leads nowhere: a sentence, in French or English, that loads nothing and reveals nothing. A program
 * gets the usual JSON.
 */

/** No browser, proxy or search engine may keep the answer to a link. */
export const LINK_HEADERS = { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex, nofollow' }

const STYLE =
  'body{font:18px/1.5 system-ui,sans-serif;max-width:28em;margin:20vh auto 0;padding:0 1.5em;color:#222;background:#fff}' +
  'h1{font-size:1.3em}button{font:inherit;padding:.6em 1.2em;border:0;border-radius:.4em;color:#fff;background:#b42318;cursor:pointer}' +
  '@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}}'

const headersWith = (formAction: "'none'" | "'self'") => ({
  ...PAGE_HEADERS,
  ...LINK_HEADERS,
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'"
  ].join('; ')
})

const HEADERS = headersWith("'none'")
const ASKING_HEADERS = headersWith("'self'")

type Words = [title: string, sentence: string]

const PAGES: Record<'fr' | 'en', Record<number, Words> & { other: Words }> = {
  fr: {
    404: [
      'Ce lien ne mène nulle part',
      'Il a expiré, ou il n’est pas complet. Vérifiez l’adresse que vous avez reçue.'
    ],
    429: ['Un instant', 'Trop d’adresses inconnues ont été demandées d’ici. Réessayez dans une minute.'],
    other: ['Un instant', 'Ce lien ne peut pas être ouvert en ce moment. Réessayez dans une minute.']
  },
  en: {
    404: [
      'This link leads nowhere',
      'It has expired, or a part of it is missing. Check the address that you received.'
    ],
    429: ['One moment', 'Too many unknown addresses were asked for from here. Try again in a minute.'],
    other: ['One moment', 'This link can’t be opened right now. Try again in a minute.']
  }
}

const HTML = new Map(
  (['fr', 'en'] as const).flatMap((language) =>
    Object.entries(PAGES[language]).map(
      ([status, words]) => [`${language} ${status}`, toHtml(language, words)] as const
    )
  )
)

function toHtml(language: string, [title, sentence]: Words, form = ''): string {
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">` +
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">' +
    `<title>${title.replaceAll(/<\/?bdi>/g, '')}</title><style>${STYLE}</style></head><body><h1>${title}</h1><p>${sentence}</p>${form}</body></html>\n`
  )
}

type Language = 'fr' | 'en'

/** The page of an opt-out link: it asks for one click, which posts to its own address. A robot that fetches it changes nothing. */
const STOP_PAGES: Record<Language, Record<'ask' | 'done', (from: string) => Words> & { button: string }> = {
  fr: {
    ask: (from) => [
      `Ne plus recevoir de messages de ${from} ?`,
      'Un clic suffit. Aucune autre information ne vous est demandée.'
    ],
    button: 'Me désinscrire',
    done: (from) => ['C’est fait', `${from} ne vous enverra plus de messages. Vous pouvez fermer cette page.`]
  },
  en: {
    ask: (from) => [`Stop receiving messages from ${from}?`, 'One click is enough. You are asked for nothing else.'],
    button: 'Opt out',
    done: (from) => ['Done', `${from} will not send you messages any more. You can close this page.`]
  }
}

const UNKNOWN_SENDER: Record<Language, string> = { fr: 'cet expéditeur', en: 'this sender' }

function stopHtml(language: Language, page: 'ask' | 'done', from: string | undefined): string {
  const { button, ...words } = STOP_PAGES[language]
  const form = page === 'ask' ? `<form method="post" action=""><button>${button}</button></form>` : ''
  const name = from === undefined ? UNKNOWN_SENDER[language] : `<bdi>${escapeHtml(from)}</bdi>`
  const [title, sentence] = words[page](name)
  return toHtml(language, [title, sentence], form)
}

/** Always a page: only people get these links. */
export function sendStopPage(
  reply: FastifyReply,
  request: FastifyRequest,
  { page, from }: { page: 'ask' | 'done'; from: string | undefined }
): void {
  reply
    .code(200)
    .headers(page === 'ask' ? ASKING_HEADERS : HEADERS)
    .header('x-request-id', request.id)
    .header('vary', 'accept-language')
    .type('text/html; charset=utf-8')
    .send(stopHtml(languageOf(request), page, from))
}

function languageOf({ headers }: FastifyRequest): Language {
  return /^\s*fr\b/i.test(headers['accept-language'] ?? '') ? 'fr' : 'en'
}

/** Answers with a page where a page is asked for, as browsers do, and else with JSON. */
export function sendLinkRefusal(reply: FastifyReply, request: FastifyRequest, refusal: Refusal): void {
  if (!wantsPage(request.headers.accept)) {
    reply.headers(DATA_HEADERS).headers(LINK_HEADERS)
    sendRefusal(reply, request, refusal)
    return
  }
  const language = languageOf(request)
  const html = HTML.get(`${language} ${refusal.status}`) ?? HTML.get(`${language} other`)
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds))
  reply
    .code(refusal.status)
    .headers(HEADERS)
    .header('x-request-id', request.id)
    .type('text/html; charset=utf-8')
    .send(html)
}

/** Browsers name text/html first. */
function wantsPage(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const [page, data] = [accept.indexOf('text/html'), accept.indexOf('application/json')]
  return page !== -1 && (data === -1 || page < data)
}
