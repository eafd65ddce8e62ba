import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readTraceContext } from '../traces/trace-context.ts'
import { isTracing, logFieldsOf, type RequestTrace, runInRequest, startSpan } from '../traces/tracer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Its span, where there are traces. */
    trace: RequestTrace | null
  }
}

/** Asked for every few seconds, and of no interest. */
const UNTRACED: ReadonlySet<string> = new Set(['live', 'ready', 'metrics', 'docs', 'openapi'])

/** Adds a span to each request of an operation. Without traces it adds nothing, not even a hook. */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    done()
  })
  // Here and not with the span: reading a body leaves the context of its request.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.trace) runInRequest(request.trace, done)
    else done()
  })
}

/** The path is that of the route: a path as it came may have a phone number in it. */
function begin(request: FastifyRequest, reply: FastifyReply): void {
  const { url: route, config } = request.routeOptions
  const { operation } = config
  if (operation === undefined || UNTRACED.has(operation)) return
  const parent = readTraceContext(request.headers)
  const span = startSpan(`${request.method} ${route}`, {
    kind: 'server',
    parent,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'chappe.operation': operation,
      'chappe.request.id': request.id
    }
  })
  if (!span) return
  request.trace = { span, isContinued: parent !== undefined }
  // The end of the socket's answer, which also comes when the client has gone.
  reply.raw.once('close', () => {
    const { statusCode: status } = reply.raw
    const account = { 'chappe.account.id': request.caller?.accountId }
    if (!reply.raw.writableFinished) span.fail('The client closed the connection.', account)
    else if (status >= 500) span.fail(`Answered ${status}.`, { 'http.response.status_code': status, ...account })
    else span.end({ 'http.response.status_code': status, ...account })
  })
}

/** The fields of a log line about a request. */
export function requestFields({ id, trace }: Pick<FastifyRequest, 'id' | 'trace'>): Record<string, string> {
  return { request_id: id, ...logFieldsOf(trace?.span.context) }
}
