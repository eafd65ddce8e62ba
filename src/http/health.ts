import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { Refusal } from '../errors.ts'
import type { Arrived, Authenticate } from './caller.ts'
import { isEqualSecret } from './equal-secrets.ts'

/** Checks something that the service needs. Rejects, with a sentence, while it is not there. */
export type ReadinessCheck = () => Promise<unknown>

/** Whether metrics are open. If not, they take the operator's credentials or the token, if there is one. */
export interface MetricsAccess {
  readonly isOpen: boolean
  readonly token: string | undefined
}

const CHECK_TIMEOUT_MS = 2_000

/** Probes and metrics, for machines. Probes take no credentials; metrics do, unless they are open. */
export function registerHealth(
  app: FastifyInstance,
  {
    checks,
    notes = {},
    registry,
    metrics,
    authenticate
  }: {
    checks: Record<string, ReadinessCheck>
    notes?: Record<string, () => string>
    registry: Registry
    metrics: MetricsAccess
    authenticate: Authenticate
  }
): void {
  app.get('/health/live', { exposeHeadRoute: true, config: { operation: 'live' } }, async () => ({ status: 'live' }))

  app.get('/health/ready', { exposeHeadRoute: true, config: { operation: 'ready' } }, async () => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => ({ path: name, message: await failureOf(check) }))
    )
    const failures = results.filter(
      (result): result is { path: string; message: string } => result.message !== undefined
    )
    if (failures.length === 0) {
      const noted = Object.entries(notes).map(([name, note]) => [name, note()])
      return {
        status: 'ready',
        checks: Object.fromEntries([...results.map(({ path }) => [path, 'ok']), ...noted])
      }
    }
    const names = failures.map(({ path }) => path).join(', ')
    throw new Refusal(503, 'unavailable', `Not ready: ${names}.`, { details: failures, retryAfterSeconds: 1 })
  })

  app.get('/metrics', { exposeHeadRoute: true, config: { operation: 'metrics' } }, async (request, reply) => {
    if (!metrics.isOpen) await refuseStranger(request, { token: metrics.token, authenticate })
    reply.type(registry.contentType)
    return registry.metrics()
  })
}

async function refuseStranger(
  request: Arrived,
  { token, authenticate }: { token: string | undefined; authenticate: Authenticate }
): Promise<void> {
  const shown = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token !== undefined && shown !== undefined && isEqualSecret(shown, token)) return
  const { isOperator } = await authenticate(request)
  if (!isOperator) throw new Refusal(403, 'forbidden', 'Only the operator may read the metrics.')
}

async function failureOf(check: ReadinessCheck): Promise<string | undefined> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS / 1000} s`)), CHECK_TIMEOUT_MS)
  try {
    await Promise.race([check(), promise])
    return undefined
  } catch (error) {
    return (error as Error).message || String((error as { code?: string }).code ?? error)
  } finally {
    clearTimeout(timer)
  }
}
