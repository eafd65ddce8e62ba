import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Delays } from '../delays.ts'
import type { PhoneReply, Phones } from '../phones/phones.ts'
import { AcceptedLog, type AcceptedSegments } from './accepted-log.ts'
import { Binds } from './binds.ts'
import type { Conduct } from './conduct.ts'
import { FaultState } from './fault-state.ts'
import type { LinkAction } from './faults.ts'
import { firstIdNow, type IdForm } from './message-ids.ts'
import { SmscSession } from './smsc-session.ts'
import { newStats, type SmscStats } from './stats.ts'
import { Submits } from './submits.ts'

/*
 * A carrier of our own: an SMPP 3.4 server on a real socket, with virtual phones behind it. It accepts every submit,
 * sends receipts until the client answers them, and misbehaves as its fault rules say.
 */

export interface SmscOptions {
  /** 0, the default, is a free port. */
  port?: number
  host?: string
  /** The first fault rules: see faults.ts. */
  faults?: string
  phones: Phones
  idForm?: IdForm
  /** From the clock by default, so that no id is reused after a restart. */
  firstId?: number
  /** Passwords by system_id. Without them, any client may bind. */
  systemIds?: Readonly<Record<string, string>>
  /** Receipts that may wait for a client before its submits are answered with ESME_RMSGQFUL. */
  waitingMax?: number
  /** Keeps the accepted segments of each number, which costs memory for each segment. */
  record?: boolean
  log?: (line: string) => void
}

/** Each waiting receipt takes about 700 bytes: 350 MB in all. */
const WAITING_MAX = 500_000

export interface Smsc {
  readonly host: string
  readonly port: number
  readonly phones: Phones
  readonly stats: Readonly<SmscStats>
  /** The number of bound sessions. */
  readonly sessionCount: number
  /** Receipts and replies that wait because no receiver is bound, or its window is full. */
  readonly waitingCount: number
  /** By number, as digits; empty unless `record`. */
  readonly accepted: ReadonlyMap<string, AcceptedSegments>
  /** The segments that were accepted more than once; empty unless `record`. */
  repeated(): { number: string; segment: string; count: number }[]
  /** Changes the faults. Throws on an error in the script, and changes nothing then. */
  apply(faults: string): void
  /** Cuts all links, stops listening and drops waiting receipts and replies. */
  stop(): Promise<void>
}

export async function startSmsc(options: SmscOptions): Promise<Smsc> {
  const { host = '127.0.0.1', port = 0, phones, systemIds, idForm, log = () => undefined } = options
  const stats = newStats()
  const delays = new Delays()
  const sessions = new Set<SmscSession>()
  const faults: FaultState = new FaultState(idForm ? { idForm } : {}, { act, onChange })
  const accepted = new AcceptedLog({ isOn: options.record ?? false })
  const binds = new Binds({ faults, delays, stats, systemIds, log })
  const { firstId: nextId = firstIdNow(), waitingMax = WAITING_MAX } = options
  const submits = new Submits({ faults, delays, stats, phones, accepted }, { nextId, waitingMax })

  function act(action: LinkAction, link: SmscSession | undefined): void {
    log(`fault: ${action}`)
    for (const session of link ? [link] : sessions) session[action]()
  }

  function onChange(change: Partial<Conduct>): void {
    if (change.nextId !== undefined) submits.goOnFrom(change.nextId)
    if (change.areAnswersHeld === false) submits.answers.release()
    if (change.areReceiptsHeld === false) submits.receipts.release()
    if (change.isSilent !== undefined) for (const session of sessions) session.setSilent(change.isSilent)
  }

  function open(socket: Socket): void {
    stats.connections++
    const session = new SmscSession(socket, {
      onBind: (pdu) => binds.bind(session, pdu),
      onSubmit: (pdu) => submits.handle(session, pdu),
      onLinkAnswer: () => {
        stats.linkAnswers++
      },
      onDeliveryAnswer: (delivery, status) => session.account?.settle(delivery, status),
      onClose: () => {
        sessions.delete(session)
        binds.lose(session)
      }
    })
    sessions.add(session)
    session.setSilent(faults.conduct.isSilent)
  }

  const server = createServer(open)
  faults.apply(options.faults ?? '')
  server.listen(port, host)
  await once(server, 'listening').catch((error) => {
    faults.stop()
    throw error
  })
  const disconnect = phones.connect((reply: PhoneReply) => binds.findReceiver()?.sendReply(reply) ?? false)

  return {
    host,
    port: (server.address() as AddressInfo).port,
    phones,
    stats,
    get sessionCount() {
      return binds.sessionCount
    },
    get waitingCount() {
      return binds.waitingCount
    },
    accepted: accepted.byNumber,
    repeated: () => accepted.repeated(),
    apply: (script) => faults.apply(script),
    async stop() {
      disconnect()
      faults.stop()
      delays.stop()
      const closed = once(server, 'close')
      server.close()
      for (const session of sessions) session.destroy()
      await closed
    }
  }
}
