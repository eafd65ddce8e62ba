import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import { parseCarriersFile, readCarriersFile } from './carriers/carriers-file.ts'
import { CarriersInUse } from './carriers/carriers-in-use.ts'
import { CarriersFileMistakes } from './carriers/mistakes.ts'
import type { Config } from './config.ts'
import { type ConnectOptions, connect, type Pool } from './database/database.ts'
import { Delivery } from './delivery/delivery.ts'
import { Settling } from './delivery/settling.ts'
import { CannotStart } from './errors.ts'
import type { Log } from './http/log.ts'
import type { RcsMetrics } from './rbm-events/metrics.ts'
import { RBM_EVENTS_CHANNEL, startRbmEvents } from './rbm-events/rbm-events.ts'
import { checkLists } from './rcs-lists/check-lists.ts'
import { expireRecipients } from './receipts/expire-recipients.ts'
import { IdForms } from './receipts/id-forms.ts'
import { matchParkedReceipts } from './receipts/match-parked-receipts.ts'
import { createRecordReceipt } from './receipts/record-receipts.ts'
import { createRecordReply, finishReplies } from './replies/record-reply.ts'
import type { SandboxPhones } from './sandbox/phones.ts'
import { type RunningWorker, startWorker } from './workers/loop.ts'

/*
 * What belongs to sending in a process: the carriers it knows, and, in the role `delivery`, the links to them with all that
 * comes in over these.
 */

/** Of its own, beside those of requests: neither can starve the other. */
const CONNECTIONS_MAX = 8
const CLOSE_SECONDS = 5
const PARKED_PAUSE_MS = 300
const SEGMENTS_PAUSE_MS = 10_000
const EXPIRE_PAUSE_MS = 60_000
const LISTS_PAUSE_MS = 2_000
/** How long a start waits for its sandbox, so that the first message of a newcomer leaves at once. */
const UP_WAIT_MS = 3_000
const UP_POLL_MS = 10

/** Wakes those who deliver, in all processes. */
const CHANNEL = 'chappe_queue'
/** While there is a crowd, so far apart; the poll of those who deliver makes up for what is missed. */
const SIGNAL_SPACING_MS = 20

export interface Carriers {
  inUse: CarriersInUse
  phones: SandboxPhones | undefined
  /** Tells the sandbox where this service is, so that it can tell what happens to RCS messages. False if it can't reach it. */
  setRcsWebhook?: (baseUrl: string) => Promise<boolean>
  stop: (() => Promise<void>) | undefined
}

/** The carriers of the file, or else the sandbox's: they run in this process if it delivers. */
export async function openCarriers(config: Config): Promise<Carriers> {
  if (config.carriersFile) {
    return { inUse: new CarriersInUse(readOrRefuse(config.carriersFile)), phones: undefined, stop: undefined }
  }
  const { describeSandbox, startSandbox } = await import('../simulator/sandbox.ts')
  if (!config.roles.has('delivery')) {
    const { carriers, stop } = await describeSandbox()
    const inUse = new CarriersInUse(parseSandbox(carriers))
    await stop()
    return { inUse, phones: undefined, stop: undefined }
  }
  const { carriers, phones, setService, stop } = await startSandbox()
  const file = parseSandbox(carriers)
  return {
    inUse: new CarriersInUse(file),
    phones: {
      carrier: file.smpp[0]?.name ?? '',
      rcsCarrier: file.rbm[0],
      inboxOf: (number) => phones.inboxOf(number),
      reply: (reply) => phones.reply(reply)
    },
    setRcsWebhook: setService,
    stop
  }
}

function parseSandbox(carriers: object) {
  return parseCarriersFile(JSON.stringify(carriers), { path: 'the sandbox', folder: dirname('.') })
}

function readOrRefuse(path: string) {
  try {
    return readCarriersFile(path)
  } catch (error) {
    if (error instanceof CarriersFileMistakes) throw new CannotStart(error.message)
    throw error
  }
}

/** Reads the carriers file again. One with mistakes changes nothing; what is on its way is not dropped. */
export async function reload(
  config: Config,
  inUse: CarriersInUse,
  delivery: DeliveryRole | undefined,
  log: Log
): Promise<void> {
  if (!config.carriersFile) return log.info('there is no carriers file to read again')
  try {
    inUse.replace(readCarriersFile(config.carriersFile))
    log.info({ carriers: inUse.file.smpp.map(({ name }) => name) }, 'the carriers file was read again')
    await delivery?.apply()
  } catch (error) {
    if (!(error instanceof CarriersFileMistakes)) throw error
    log.error({ mistakes: error.mistakes }, 'the carriers file has mistakes; what was read before stays in use')
  }
}

/** Tells those who deliver that something may be due: here at once, and elsewhere soon. */
export function createSignal(
  pool: Pool,
  { log, wake, channel = CHANNEL }: { log: Log; wake(): void; channel?: string }
): () => void {
  let isWaiting = false
  return () => {
    wake()
    if (isWaiting) return
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      pool.signal(channel).catch((error) => log.debug({ err: error }, 'wake-up signal failed; workers poll anyway'))
    }, SIGNAL_SPACING_MS).unref()
  }
}

export interface DeliveryRole {
  wake(): void
  /** The RBM platform has told something. */
  wakeRbmEvents(): void
  /** Goes over to the carriers that are in use now. */
  apply(): Promise<void>
  /** Rejects, with a sentence, while a route has no carrier that is up. */
  check(): Promise<void>
  untilUp(carrier: string): Promise<void>
  stop(): Promise<void>
}

interface RoleParts {
  config: Config
  databaseUrl: ConnectOptions['url']
  inUse: CarriersInUse
  registry: Registry
  /** Where the gauges look: never over the connections that deliver. */
  metricsPool: Pool
  rcsMetrics: RcsMetrics
  log: Log
}

export async function startDeliveryRole({
  config,
  databaseUrl,
  inUse,
  registry,
  metricsPool,
  rcsMetrics,
  log
}: RoleParts): Promise<DeliveryRole> {
  const pool = connect({
    url: databaseUrl,
    applicationName: `chappe ${process.pid} delivering`,
    connectionsMax: CONNECTIONS_MAX,
    isLookupOnly: true
  })
  const settling = new Settling()
  const idForms = new IdForms((carrier) => inUse.idFormatOf(carrier))
  await idForms.load(pool)
  const delivery = new Delivery({
    pool,
    inUse,
    settling,
    inbound: {
      onReceipt: createRecordReceipt({
        pool,
        idForms,
        untilSettled: (carrier, id) => settling.untilSettled(carrier, id)
      }),
      onReply: createRecordReply(pool)
    },
    submissionIdOf: (carrier, receiptId) => idForms.submissionIdOf(carrier, receiptId),
    rcsFallbackSeconds: config.rcsFallbackSeconds,
    onFellBack({ sms, failed }) {
      rcsMetrics.fallbacks('sms', sms)
      rcsMetrics.fallbacks('failed', failed)
    },
    registry,
    metricsPool,
    log
  })
  await delivery.apply()
  await pool.listen(
    CHANNEL,
    () => delivery.wake(),
    () => delivery.wake()
  )
  const rbmEvents = startRbmEvents({ pool, inUse, metrics: rcsMetrics, log })
  await pool.listen(RBM_EVENTS_CHANNEL, rbmEvents.wake, rbmEvents.wake)
  const findCarrier = (name: string) => (delivery.isUp(name) ? delivery.rcsCarrier(name) : undefined)
  const worker = (name: string, pauseMs: number, work: () => Promise<{ isMoreDue: boolean }>): RunningWorker =>
    startWorker({ name, work, pauseMs, log })
  const workers = [
    worker('matching parked receipts', PARKED_PAUSE_MS, () => matchParkedReceipts(pool, idForms)),
    worker('expiring recipients', EXPIRE_PAUSE_MS, () => expireRecipients(pool)),
    worker('finishing replies', SEGMENTS_PAUSE_MS, () => finishReplies(pool)),
    worker('checking lists for RCS', LISTS_PAUSE_MS, () => checkLists({ pool, inUse, findCarrier, log }))
  ]
  // One after the other: a signal may come while the last is still being followed.
  let applying = Promise.resolve()
  return {
    wake: () => delivery.wake(),
    wakeRbmEvents: rbmEvents.wake,
    apply() {
      applying = applying.catch(() => undefined).then(() => delivery.apply())
      return applying
    },
    async check() {
      const down = inUse.routes.filter(({ carriers }) => !carriers.some((name) => delivery.isUp(name)))
      if (down.length === 0) return
      const names = down.map(({ channel, prefix }) => {
        const numbers = prefix === '' ? 'all other numbers' : `+${prefix}`
        return channel === 'sms' ? numbers : `RCS to ${numbers}`
      })
      throw new Error(`no carrier is up for ${names.join(', ')}`)
    },
    async untilUp(carrier) {
      for (let waitedMs = 0; !delivery.isUp(carrier) && waitedMs < UP_WAIT_MS; waitedMs += UP_POLL_MS) {
        await sleep(UP_POLL_MS)
      }
    },
    async stop() {
      await applying.catch(() => undefined)
      await delivery.stop()
      await Promise.all([...workers, rbmEvents].map((running) => running.stop()))
      await pool.close(CLOSE_SECONDS)
    }
  }
}
