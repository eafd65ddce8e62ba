import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Registry } from 'prom-client'
import { type CallerDefaults, findOwnCaller } from '../accounts/callers.ts'
import { createRemembered } from '../accounts/remembered.ts'
import type { SuspendedAccountsReader } from '../accounts/suspended-accounts.ts'
import type { ConnectionShares } from '../database/connection-shares.ts'
import type { Pool } from '../database/database.ts'
import { CannotStart, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { Log } from '../http/log.ts'
import { networkOf } from '../http/networks.ts'
import type { RequestRates } from '../http/request-rates.ts'
import type { Accept } from '../sends/accept.ts'
import { STATUSES } from '../smpp/commands.ts'
import type { BindPdu, KnownPdu } from '../smpp/pdu.ts'
import { type BindMode, deleteBind, extendBinds } from '../smpp-outbox/binds.store.ts'
import { releaseDeliveries } from '../smpp-outbox/outbox.store.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { answerCancel, answerQuery, answerSubmit, toRefusal } from './answer-requests.ts'
import { createBindPlaces } from './bind-places.ts'
import { ClaimedDeliveries } from './claimed-deliveries.ts'
import { type BindCredential, drawSubmits, listCredentialsOfBinds } from './credentials.store.ts'
import { CustomerSession, type GrantedBind, refusalOf, type SessionHost } from './customer-session.ts'
import { grantBind, isAllowed } from './grant-bind.ts'
import { createServerMetrics, type ServerMetrics } from './metrics.ts'
import { updateOverdueToLost } from './parts.store.ts'
import { startPushing } from './push-deliveries.ts'
import { StatusRefusal, statusOf } from './statuses.ts'
import { createTakeSubmit, recordLost } from './take-submits.ts'
import { createThroughputs } from './throughputs.ts'
import { SERVER_TIMINGS, type ServerTimings } from './timings.ts'

/* The SMPP server for customers: sockets, sessions, and the workers that keep them. */

export interface SmppServerSettings {
  host: string
  port: number | undefined
  tls: { port: number; keyFile: string; certFile: string } | undefined
}

export interface SmppServerParts {
  settings: SmppServerSettings
  pool: Pool
  sending: { accept: Accept }
  suspended: SuspendedAccountsReader
  rates: RequestRates
  /** The connections of the pool for what customers ask. */
  shares: ConnectionShares
  defaults: CallerDefaults
  registry: Registry
  log: Log
  timings?: ServerTimings | undefined
}

export interface SmppServer {
  port: number | undefined
  tlsPort: number | undefined
  stop(): Promise<void>
}

/** More connections than this wait in the system's queue. */
const CONNECTIONS_MAX = 2_000
/** Connections of one network that have not bound yet: a stranger must not take the places of all. */
const UNBOUND_MAX = 100
const CALLER_FRESH_MS = 2_000
const CALLERS_MAX = 10_000
const LOST_PARTS_MAX = 500
const TICK_MS = 250
const STOP_LOOK_MS = 20

export async function startSmppServer(parts: SmppServerParts): Promise<SmppServer> {
  const { settings, timings = SERVER_TIMINGS, suspended, log } = parts
  const sessions = new Set<CustomerSession>()
  const claimed = new ClaimedDeliveries()
  const workers: RunningWorker[] = []
  const host = createHost(parts, { sessions, claimed, timings, wake: () => workers[0]?.wake() })
  const accept = (isEncrypted: boolean) => (socket: Socket) => {
    socket.setNoDelay(true).setKeepAlive(true, timings.enquireLinkMs)
    const address = socket.remoteAddress
    // The client is gone already, or too many of its network have not bound yet.
    if (address === undefined || isCrowded(sessions, address)) return void socket.destroy()
    sessions.add(new CustomerSession({ socket, address, isEncrypted, host, timings, log }))
  }
  const servers = await openServers(settings, { accept, log })
  workers.push(...startWorkers(parts, { sessions, claimed, timings, metrics: host.metrics }))
  const ticks = setInterval(() => {
    for (const session of sessions) session.tick()
  }, TICK_MS)
  suspended.onChange((accountIds) => {
    for (const session of sessions) {
      const accountId = session.bind?.credential.accountId ?? 0
      if (accountIds.includes(accountId) && suspended.has(accountId)) session.unbind('the account is suspended')
    }
  })
  return {
    port: portOf(servers.plain),
    tlsPort: portOf(servers.encrypted),
    async stop() {
      for (const server of [servers.plain, servers.encrypted]) server?.close()
      for (const session of sessions) session.unbind('the server stops')
      const limit = performance.now() + timings.unbindTimeoutMs
      while (sessions.size > 0 && performance.now() < limit) {
        await new Promise((resolve) => setTimeout(resolve, STOP_LOOK_MS))
      }
      for (const session of sessions) session.destroy('the server stops')
      clearInterval(ticks)
      await Promise.all(workers.map((worker) => worker.stop()))
      await host.untilIdle()
    }
  }
}

function isCrowded(sessions: ReadonlySet<CustomerSession>, address: string): boolean {
  const network = networkOf(address)
  let count = 0
  for (const session of sessions) if (!session.bind && networkOf(session.address) === network) count++
  return count >= UNBOUND_MAX
}

interface HostParts {
  sessions: Set<CustomerSession>
  claimed: ClaimedDeliveries
  timings: ServerTimings
  /** Deliveries may be due. */
  wake(): void
}

function createHost(parts: SmppServerParts, { sessions, claimed, timings, wake }: HostParts) {
  const { pool, shares, sending, suspended, rates, registry, log } = parts
  const metrics = createServerMetrics(registry, () => countModes(sessions))
  const findCaller = createFindCaller(parts)
  const places = createBindPlaces(timings.bindsOfOneMax)
  const throughputs = createThroughputs((draw) => drawSubmits(pool, draw))
  const databaseOf = ({ topLevelId }: Caller) => shares.databaseOf(topLevelId)
  const takeSubmit = createTakeSubmit({ databaseOf, sending, log })
  /** Work that a session no longer waits for, such as giving its bind back. */
  const running = new Set<Promise<unknown>>()
  const track = (work: Promise<unknown>) => {
    const settled = work.catch((error) =>
      log.warn({ err: error }, 'end of an SMPP bind was not stored; its lease ends')
    )
    running.add(settled)
    void settled.finally(() => running.delete(settled))
  }
  const giveBack = async (bind: GrantedBind) => {
    places.giveBack(bind.id)
    // Another bind must not get what this one has answered.
    await claimed.untilNone(bind.id)
    await deleteBind(pool, bind.id)
    await releaseDeliveries(pool, { accountId: bind.credential.accountId, bindId: bind.id, except: [] })
    wake()
  }
  const host: SessionHost = {
    onRoom: wake,
    async bind(session, pdu) {
      const granted = await grant(session, pdu).catch((error) => {
        // Too many passwords of this network wait to be checked, or the account was suspended meanwhile.
        if (error instanceof Refusal || error instanceof StatusRefusal) return STATUSES.ESME_RBINDFAIL
        log.error({ err: error }, 'bind of an SMPP client failed')
        return STATUSES.ESME_RSYSERR
      })
      const status = typeof granted === 'number' ? granted : STATUSES.ESME_ROK
      metrics.bind(status)
      if (typeof granted !== 'number' && session.isClosed) track(giveBack(granted))
      return granted
    },
    async submit({ address }, bind, pdu) {
      const answer = await answering(
        async () => {
          await refuseTooFast(throughputs, bind.credential)
          const { accountId } = bind.credential
          const tooMany = rates.take(await findCaller(accountId))?.refusal
          if (tooMany) throw tooMany
          return answerSubmit({ takeSubmit, findCaller }, bind, pdu, address)
        },
        (error) => toRefusal(pdu, error, bind) ?? failed(pdu, error)
      )
      metrics.submit(answer.status)
      return answer
    },
    ask({ address }, bind, pdu) {
      return answering(
        async () => {
          const caller = await findCaller(bind.credential.accountId)
          return pdu.command === 'query_sm'
            ? answerQuery(databaseOf(caller), bind, pdu)
            : answerCancel(databaseOf(caller), bind, pdu, { caller, address })
        },
        (error) => refusalOf(pdu, statusOf(error) ?? failed(pdu, error).status)
      )
    },
    onClose(session, reason) {
      sessions.delete(session)
      log.debug({ address: session.address, reason }, 'SMPP client is gone')
      if (session.bind) track(giveBack(session.bind))
    }
  }

  async function grant(session: CustomerSession, pdu: BindPdu): Promise<GrantedBind | number> {
    const granted = await grantBind({ pool, suspended, leaseSeconds: timings.leaseSeconds }, pdu, session)
    if (typeof granted === 'number') return granted
    const { id, credential } = granted
    let isPlaced = false
    try {
      isPlaced = places.take(id, (await findCaller(credential.accountId)).topLevelId)
    } finally {
      if (!isPlaced) track(giveBack(granted))
    }
    return isPlaced ? granted : STATUSES.ESME_RBINDFAIL
  }

  function failed(pdu: { command: string; sequence: number }, error: unknown): KnownPdu {
    log.error({ err: error, command: pdu.command }, 'request of an SMPP client failed')
    return refusalOf(pdu, STATUSES.ESME_RSYSERR)
  }

  return { ...host, metrics, untilIdle: () => Promise.all(running) }
}

async function refuseTooFast(
  throughputs: ReturnType<typeof createThroughputs>,
  { id, throughput }: BindCredential
): Promise<void> {
  if (throughput !== null && !(await throughputs.take(id, throughput))) {
    throw new StatusRefusal('ESME_RTHROTTLED', `at most ${throughput} submits a second`)
  }
}

/** The account of a bind, which is read again after a while. */
function createFindCaller({ pool, suspended, defaults }: SmppServerParts): (accountId: number) => Promise<Caller> {
  const callers = createRemembered<Caller>({ freshMs: CALLER_FRESH_MS, max: CALLERS_MAX })
  /** Lookups under way: the submits of a whole window ask at the same moment. */
  const looking = new Map<string, Promise<Caller | undefined>>()
  const lookFor = (key: string, accountId: number): Promise<Caller | undefined> => {
    const found =
      looking.get(key) ??
      callers.look(key, () => findOwnCaller(pool, accountId, defaults)).finally(() => looking.delete(key))
    looking.set(key, found)
    return found
  }
  return async (accountId) => {
    const key = String(accountId)
    const caller = callers.recall(key) ?? (await lookFor(key, accountId))
    if (!caller || suspended.has(accountId)) throw new StatusRefusal('ESME_RSUBMITFAIL', 'the account is suspended')
    return caller
  }
}

/** An error becomes an answer. */
function answering(work: () => Promise<KnownPdu>, toAnswer: (error: unknown) => KnownPdu): Promise<KnownPdu> {
  return work().catch(toAnswer)
}

function countModes(sessions: ReadonlySet<CustomerSession>): Record<BindMode, number> {
  const counts = { transmitter: 0, receiver: 0, transceiver: 0 }
  for (const { bind } of sessions) if (bind) counts[bind.mode]++
  return counts
}

function startWorkers(
  { pool, suspended, log }: SmppServerParts,
  {
    sessions,
    claimed,
    timings,
    metrics
  }: Pick<HostParts, 'sessions' | 'claimed' | 'timings'> & { metrics: ServerMetrics }
): RunningWorker[] {
  const start = (name: string, pauseMs: number, work: () => Promise<unknown>) =>
    startWorker({ name, pauseMs, log, work: () => work().then(() => ({ isMoreDue: false })) })
  return [
    startPushing({ pool, sessions, claimed, pollMs: timings.pollMs, metrics, log }),
    start('extending SMPP binds', timings.extendEveryMs, () => extend(pool, sessions, timings)),
    start('reading changed SMPP credentials', timings.pollMs, () => applyChanges(pool, sessions, suspended)),
    start('giving up parts of SMPP messages', timings.partsEveryMs, () =>
      pool.begin(async (database) => {
        const limits = { seconds: timings.partsWaitSeconds, limit: LOST_PARTS_MAX }
        await recordLost(database, await updateOverdueToLost(database, limits))
      })
    )
  ]
}

function boundOf(sessions: ReadonlySet<CustomerSession>): { session: CustomerSession; bind: GrantedBind }[] {
  return [...sessions].flatMap((session) => (session.bind ? [{ session, bind: session.bind }] : []))
}

async function extend(pool: Pool, sessions: ReadonlySet<CustomerSession>, { leaseSeconds }: ServerTimings) {
  const bound = boundOf(sessions)
  if (bound.length === 0) return
  const ids = bound.map(({ bind }) => bind.id)
  const extended = await extendBinds(pool, ids, { leaseSeconds })
  for (const { session, bind } of bound) if (!extended.has(bind.id)) session.unbind('the bind was given up')
}

/**
 * Ends binds whose credentials no longer allow them, and gives the others their new limits. An account that is suspended
 * while a bind is being granted is met here.
 */
async function applyChanges(
  pool: Pool,
  sessions: ReadonlySet<CustomerSession>,
  suspended: SuspendedAccountsReader
): Promise<void> {
  const bound = boundOf(sessions)
  if (bound.length === 0) return
  const ids = [...new Set(bound.map(({ bind }) => bind.credential.id))]
  const current = new Map((await listCredentialsOfBinds(pool, ids)).map((credential) => [credential.id, credential]))
  for (const { session, bind } of bound) {
    const credential = current.get(bind.credential.id)
    if (suspended.has(bind.credential.accountId)) session.unbind('the account is suspended')
    else if (credential && isStillAllowed(session, bind, credential)) bind.credential = credential
    else session.unbind('the credentials have changed')
  }
}

function isStillAllowed({ address }: CustomerSession, bind: GrantedBind, now: BindCredential): boolean {
  const { isActive, passwordHash } = now
  return isActive && passwordHash === bind.credential.passwordHash && isAllowed(now, address)
}

async function openServers(
  { host, port, tls }: SmppServerSettings,
  { accept, log }: { accept(isEncrypted: boolean): (socket: Socket) => void; log: Log }
): Promise<{ plain: Server | undefined; encrypted: Server | undefined }> {
  const plain = port === undefined ? undefined : createServer(accept(false))
  const encrypted = tls && createTlsServer(readCertificate(tls), accept(true))
  encrypted?.on('tlsClientError', (error) => log.debug({ err: error }, 'SMPP client could not begin TLS'))
  if (plain && port !== undefined) await listen(plain, { host, port, setting: 'CHAPPE_SMPP_PORT' })
  if (encrypted && tls) await listen(encrypted, { host, port: tls.port, setting: 'CHAPPE_SMPP_TLS_PORT' })
  return { plain, encrypted }
}

/** Rejects, with a sentence, if the ports can't be listened on. Rejects without the certificate, too. */
export async function tryToTakeBinds(settings: SmppServerSettings, log: Log): Promise<void> {
  const { plain, encrypted } = await openServers(settings, { accept: () => (socket) => socket.destroy(), log })
  for (const server of [plain, encrypted]) if (server) await new Promise((closed) => server.close(closed))
}

function readCertificate({ keyFile, certFile }: { keyFile: string; certFile: string }) {
  return { key: readFileSync(keyFile), cert: readFileSync(certFile), handshakeTimeout: SERVER_TIMINGS.bindTimeoutMs }
}

async function listen(server: Server, { host, port, setting }: { host: string; port: number; setting: string }) {
  server.maxConnections = CONNECTIONS_MAX
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CannotStart(`SMPP can't listen on ${host}:${port} (${code}). Check ${setting} and CHAPPE_SMPP_HOST.`)
  }
}

function portOf(server: Server | undefined): number | undefined {
  return server && (server.address() as AddressInfo).port
}
