import { createHash } from 'node:crypto'
import fastify, { type FastifyInstance } from 'fastify'
import { nothingThere } from './error-answers.ts'

/**
 * The reference to read and try, at /docs. Everything it needs comes from here: it works without the internet.
 * It is loaded at the first request: its megabytes of script would otherwise slow every start.
 */
export function registerReference(app: FastifyInstance): void {
  let reference: Promise<FastifyInstance> | undefined
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, { exposeHeadRoute: true, config: { operation: 'docs' } }, async (request, reply) => {
      reference ??= createReference()
      const { statusCode, headers, rawPayload } = await (await reference).inject(request.url)
      if (statusCode >= 400) throw nothingThere()
      reply.code(statusCode)
      for (const name of ['content-type', 'location'] as const) {
        const value = headers[name]
        if (value !== undefined) reply.header(name, value)
      }
      if (String(headers['content-type']).startsWith('text/html')) {
        reply.header('content-security-policy', policyFor(rawPayload.toString()))
      } else reply.header('cache-control', 'public, max-age=3600')
      return reply.send(rawPayload)
    })
  }
  app.addHook('onClose', async () => (await reference)?.close())
}

async function createReference(): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const reference = fastify()
  await reference.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Chappe API reference',
      withDefaultFonts: false,
      telemetry: false,
      favicon: '/app/icon.svg',
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
      authentication: { preferredSecurityScheme: ['apiKey'] }
    } as object
  })
  await reference.ready()
  return reference
}

/** The page has one inline script, which starts it: allowed by its hash, and nothing from anywhere else. */
function policyFor(html: string): string {
  const hashes = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`
  )
  return [
    "default-src 'self'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join('; ')
}
