import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet, { type HelmetOptions } from 'helmet'

/*
 * The headers that keep browsers from doing harm with our answers. helmet decides them, once for each kind of answer:
 * it would otherwise build the same headers for every answer, which is a tenth of the cost of a small one.
 */

/** Only for browsers that nobody uses any more. */
const OBSOLETE = {
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  xDnsPrefetchControl: false
} as const

/** For pages: they may load what we serve, and nobody may frame them. */
export const PAGE_HEADERS = headersOf({
  ...OBSOLETE,
  contentSecurityPolicy: {
    useDefaults: false, // Among the defaults is upgrade-insecure-requests, which breaks a plain http installation.
    directives: {
      defaultSrc: ["'self'"],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"]
    }
  }
})

/**
 * For the console. Its components put style sheets into the page as they appear; scripts come from files of ours only.
 */
export const CONSOLE_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // The pictures of RCS cards may come from any host, as they do on phones.
  "img-src 'self' data: blob: https: http:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'"
].join('; ')

/** For data: browsers must neither show nor store it. */
export const DATA_HEADERS = {
  ...headersOf({
    ...OBSOLETE,
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // These concern documents, which data is not.
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    referrerPolicy: false,
    xFrameOptions: false
  }),
  'cache-control': 'no-store'
}

function headersOf(options: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value
    },
    removeHeader: () => undefined
  }
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, (problem) => {
    if (problem) throw problem
  })
  return headers
}
