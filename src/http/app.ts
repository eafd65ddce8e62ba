import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import type { ConnectionShares } from '../database/connection-shares.ts'
import type { Pool } from '../database/database.ts'
import type { ReadReplicas } from '../database/read-replicas.ts'
import type { Refusal } from '../errors.ts'
import type { RecordAct } from './act.ts'
import { announcedBytes } from './announced-bytes.ts'
import { acceptBodies } from './bodies.ts'
import type { Authenticate, Caller } from './caller.ts'
import { type DressConsole, registerConsole } from './console.ts'
import {
  COMPRESSED,
  nothingThere,
  refusalOfHost,
  refuseLateBody,
  refuseMalformedRequest,
  sendRefusal,
  toRefusal
} from './error-answers.ts'
import { type MetricsAccess, type ReadinessCheck, registerHealth } from './health.ts'
import { createAnswerOnce } from './idempotency.ts'
import { createListeners } from './listeners.ts'
import type { Log } from './log.ts'
import { createMetrics, type RequestMetrics } from './metrics.ts'
import { acceptUploads, Upload } from './multipart.ts'
import type { Operation } from './operation.ts'
import { LOAD_LIMITS, type LoadLimits, LoadShedding } from './overload.ts'
import { DATA_HEADERS, PAGE_HEADERS } from './protective-headers.ts'
import { registerReference } from './reference.ts'
import { registerOperation } from './register-operation.ts'
import type { RequestRates } from './request-rates.ts'
import { createStrangerBodies, type StrangerBodies } from './stranger-bodies.ts'
import { requestFields, traceRequests } from './trace-requests.ts'
import { createTurns } from './turns.ts'
import { createWaits, type Waits } from './waits.ts'

export interface AppParts {
  operations: readonly Operation[]
  /** Writes the OpenAPI document of these operations, for the first who asks. */
  describe(): object
  authenticate: Authenticate
  /** The caller with these credentials, if it is known without asking the database. */
  recall?(headers: IncomingHttpHeaders): Caller | undefined
  /** Writes the audit trail. */
  recordAct: RecordAct
  pool: Pool
  /** How accounts share the connections of the pool. */
  shares: ConnectionShares
  replicas?: ReadReplicas | undefined
  checks: Record<string, ReadinessCheck>
  /** What readiness shows besides, and what never makes it red. */
  notes?: Record<string, () => string>
  registry: Registry
  /** The access to the metrics. */
  metrics: MetricsAccess
  log: Log
  /** The look of the console for a request, by its host name. */
  dress?: DressConsole
  /** The built console, served at /app. */
  consoleFolder: string
  /** The folder of uploaded files, until their request is over. */
  uploadFolder: string
  corsOrigins: readonly string[]
  trustedProxies: readonly string[]
  limits?: LoadLimits
  rates: RequestRates
  /** Adds routes inside of the frame that are no operations. */
  addFramedRoutes?: (app: FastifyInstance, load: LoadShedding) => Promise<void>
  /** Adds routes outside of the frame: without its headers, limits and log lines. */
  addPlainRoutes?: (server: FastifyInstance) => void
}

const HEADERS_TIMEOUT_MS = 15_000
/** A file of 100 MiB over a line of 3 Mbit/s. */
const REQUEST_TIMEOUT_MS = 300_000
/** Longer than the keep-alive of the usual proxies (60 s), so that they, not we, close an idle connection. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000
const CLOSE_IDLE_MS = 100
/** Long work keeps a core and a connection busy; some must be left for all other requests. */
const LONG_WORK = { atOnceMax: 8, eachMax: 2, topLevelMax: 4 }
/** A request that waits asks the database a few times a second. */
const WAITS = { atOnceMax: 200, eachMax: 10, topLevelMax: 50 }
/** A body of a thousand recipients is 20 KB. */
const UNWANTED_BYTES_MAX = 256 * 1024
/** How long a stop waits for requests that are under way. */
const DRAIN_MAX_MS = 10_000

/** Builds the HTTP server: limits, credentials, errors, log and metrics around the given operations. */
export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const frame = createFrame(parts)
  const server = createServer(parts)
  openAndClose(server, frame)
  server.setErrorHandler((error, request, reply) =>
    sendRefusal(reply, request, toRefusal(error, problemLog(parts.log, request)))
  )
  parts.addPlainRoutes?.(server)
  // A context of its own: hooks that are added to it hold for its routes alone.
  await server.register(async (app) => {
    traceRequests(app)
    limitRequests(app, frame)
    app.addHook('onResponse', (request, reply, done) => {
      record(frame, request, reply)
      done()
    })
    app.setNotFoundHandler((request, reply) => sendRefusal(reply, request, nothingThere()))
    await addRoutes(app, frame)
  })
  return server
}

/** The parts of an app, and the limits that all of its requests share. */
interface Frame extends AppParts {
  limits: LoadLimits
  load: LoadShedding
  strangers: StrangerBodies
  waits: Waits
  requestMetrics: RequestMetrics
}

function createFrame(parts: AppParts): Frame {
  const { log, limits = LOAD_LIMITS } = parts
  const load = new LoadShedding(limits, {
    onOverdue: (reply, refusal) => endOverdue(reply, refusal, log),
    onAborted({ request }) {
      log.info(
        { ...requestFields(request), method: request.method, url: pathOf(request) },
        'request aborted by the client'
      )
    }
  })
  return {
    ...parts,
    limits,
    load,
    strangers: createStrangerBodies(limits, (request) => refuseLateBody(request.raw.socket, request.id, log)),
    waits: createWaits(WAITS),
    requestMetrics: createMetrics(parts.registry, {
      inProgress: () => load.inProgress,
      inProgressMax: () => load.inProgressMax
    })
  }
}

function endOverdue(reply: FastifyReply, refusal: Refusal, log: Log): void {
  const { request } = reply
  log.error({ ...requestFields(request), operation: operationOf(request) }, 'request took too long')
  if (request.method === 'GET') sendRefusal(reply, request, refusal)
  // The work may yet be done: an answer that calls it refused could be untrue, so there is none.
  else reply.raw.destroy()
}

function createServer({ trustedProxies, log }: AppParts): FastifyInstance {
  const server = fastify({
    logger: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    exposeHeadRoutes: false,
    return503OnClosing: false, // Our own answer has the shape of every other error.
    forceCloseConnections: 'idle',
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Node would refuse a request without a Host by itself, not in the shape of our errors: see refusalOfHost.
    http: { headersTimeout: HEADERS_TIMEOUT_MS, requireHostHeader: false },
    frameworkErrors: (error, request, reply) => sendRefusal(reply, request, toRefusal(error, problemLog(log, request))),
    clientErrorHandler: (error, socket) => refuseMalformedRequest(error, socket as Socket, randomUUID(), log)
  })
  // Node would answer an unknown expectation by itself, not in the shape of our errors. It may be ignored (RFC 9110,
  // 10.1.1).
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))
  // Asked for now, Node still knows the address when the client has gone before its act is done.
  server.server.on('connection', (socket: Socket) => socket.remoteAddress)
  server.addHook('onRequest', (request, reply, done) => {
    const refusal = refusalOfHost(request.raw)
    if (refusal) reply.header('connection', 'close')
    done(refusal)
  })
  server.decorateRequest('caller', null)
  server.decorateRequest('admitted', null)
  server.decorateRequest('trace', null)
  server.decorateReply('load', null)
  return server
}

function openAndClose(server: FastifyInstance, { limits, load, waits }: Frame): void {
  const listeners = createListeners(server.server, limits)
  server.addHook('onListen', () => listeners.open())
  server.addHook('preClose', (done) => {
    load.close()
    waits.close()
    listeners.stop()
    // Connections that become idle from now on are closed at once, all others when their time is over.
    setInterval(() => server.server.closeIdleConnections(), CLOSE_IDLE_MS).unref()
    setTimeout(() => server.server.closeAllConnections(), DRAIN_MAX_MS).unref()
    done()
  })
  server.addHook('onClose', async () => {
    await listeners.untilClosed()
    load.stop()
  })
}

/**
 * Refuses a request as early as possible: when its headers are there, before its body is received, before its work
 * begins.
 */
function limitRequests(app: FastifyInstance, frame: Frame): void {
  const { load, recall } = frame
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(isPage(request.url) ? PAGE_HEADERS : DATA_HEADERS).header('x-request-id', request.id)
    const asker = load.isLate ? recall?.(request.headers) : undefined
    refuseOrGoOn(isProbe(request) ? undefined : load.refusalNow(asker), { request, reply, done })
  })
  // Only for methods with a body: the hook alone made a GET 5 % slower.
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD') return
    route.preParsing = (request, reply, _payload, done) => {
      const hasNoPlace = request.caller ? load.refusalNow(request.caller) : undefined
      const refusal = hasNoPlace ?? (isCompressed(request) ? COMPRESSED : undefined)
      refuseOrGoOn(refusal ?? makeRoom(frame, request, reply), { request, reply, done })
    }
  })
  app.addHook('preHandler', (request, reply, done) => {
    const refusal = isProbe(request) ? undefined : load.begin(reply)
    // Its handler, which would have discarded the file, will not run.
    if (refusal && request.body instanceof Upload) void request.body.discard()
    refuseOrGoOn(refusal, { request, reply, done })
  })
}

/** Makes room for the body, if there is one. */
function makeRoom({ load, strangers }: Frame, request: FastifyRequest, reply: FastifyReply): Refusal | undefined {
  const bytes = announcedBytes(request)
  if (bytes === 0) return undefined
  if (!request.caller) return strangers.receive(request)
  return request.routeOptions.config.takesFile ? load.receiveFile(reply, bytes) : load.receive(reply, bytes)
}

async function addRoutes(app: FastifyInstance, frame: Frame): Promise<void> {
  acceptBodies(app)
  acceptUploads(app, frame.uploadFolder)
  if (frame.corsOrigins.length > 0) {
    await app.register(cors, {
      origin: frame.corsOrigins.includes('*') ? '*' : [...frame.corsOrigins],
      methods: ['GET', 'POST', 'PUT', 'DELETE'],
      exposedHeaders: [
        'x-request-id',
        'retry-after',
        'idempotent-replayed',
        'www-authenticate',
        'ratelimit',
        'ratelimit-policy'
      ],
      maxAge: 600
    })
  }
  registerHealth(app, frame)
  const serving = { ...frame, longWorkTurns: createTurns(LONG_WORK), answerOnce: createAnswerOnce() }
  for (const operation of frame.operations) registerOperation(app, operation, serving)
  await frame.addFramedRoutes?.(app, frame.load)
  let documentJson: string | undefined
  app.get('/openapi.json', { exposeHeadRoute: true, config: { operation: 'openapi' } }, (_request, reply) => {
    documentJson ??= JSON.stringify(frame.describe())
    reply.type('application/json; charset=utf-8').send(documentJson)
  })
  registerReference(app)
  await registerConsole(app, frame.consoleFolder, frame.dress)
}

function record({ requestMetrics, log }: Frame, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime: elapsedMs } = reply
  const operation = operationOf(request)
  requestMetrics.observe({ operation, status, elapsedMs })
  log.info(
    {
      ...requestFields(request),
      method: request.method,
      url: pathOf(request),
      operation,
      status,
      ms: Math.round(elapsedMs * 10) / 10,
      account_id: request.caller?.accountId
    },
    'request'
  )
}

/**
 * A refused request keeps its connection open, unless a large body is on its way: a new connection costs more than the
 * refusal, and only one is accepted in each turn of the event loop. The price is to read the unwanted body to its end.
 */
function refuseOrGoOn(
  refusal: Refusal | undefined,
  { request, reply, done }: { request: FastifyRequest; reply: FastifyReply; done: (refusal?: Refusal) => void }
): void {
  if (refusal && announcedBytes(request) > UNWANTED_BYTES_MAX) reply.header('connection', 'close')
  done(refusal)
}

/** Probes are never refused: they are how an overload is noticed. */
function isProbe({ url }: FastifyRequest): boolean {
  return url.startsWith('/health/') || url === '/metrics'
}

function isCompressed({ headers }: FastifyRequest): boolean {
  const coding = headers['content-encoding']?.trim().toLowerCase()
  return coding !== undefined && coding !== '' && coding !== 'identity'
}

function isPage(url: string): boolean {
  return url.startsWith('/app') || url.startsWith('/docs')
}

function operationOf(request: FastifyRequest): string {
  return request.routeOptions.config.operation ?? 'other'
}

/** The caller's own request id is kept, if it is fit for a log line. */
function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.:-]{1,64}$/.test(header) ? header : randomUUID()
}

/**
 * The path for the log: without the query, which may hold personal data, without a phone number, and without a link's
 * code.
 */
function pathOf(request: FastifyRequest): string {
  const [path = ''] = request.url.split('?', 1)
  const { url: route = '' } = request.routeOptions
  if (route.includes(':number')) return route
  return operationOf(request) === 'other' ? path.replace(LINK_CODE, '/…') : path
}

const LINK_CODE = /\/[0-9A-Za-z]{10}$/

function problemLog(log: Log, request: FastifyRequest) {
  return (problem: unknown) => log.error({ ...requestFields(request), err: problem }, 'request failed')
}
