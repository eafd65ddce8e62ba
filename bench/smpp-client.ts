import { createConnection, type Socket } from 'node:net'
import * as smpp from './smpp-pdu.ts'

/*
 * A bare SMPP client that costs little CPU: it submits messages with a window on each bind, and answers receipts. It is
 * the load generator for Chappe's SMPP server, and shows what the SMPP server of benches can do.
 */

export interface ClientOptions {
  port: number
  systemId: string
  password: string
  binds: number
  /** Submits without an answer on each bind. */
  window: number
}

export interface Submitting {
  count: number
  /** In international form, without a plus. */
  toNumber(index: number): string
  /** In ISO 8859-1. */
  text: string
  /** Whether receipts are asked for. */
  withReceipts: boolean
}

export interface Submitted {
  seconds: number
  /** From submit to answer, sorted. */
  tookMs: Float64Array
}

export interface SmppClient {
  /** Receipts that came and were answered. */
  readonly receipts: number
  /** Submits messages over all binds in turn, until the last answer. Any answer but ESME_ROK ends it. */
  submit(submitting: Submitting): Promise<Submitted>
  /** Waits until so many receipts have come since the binds. Rejects when a minute passes without one. */
  untilReceipts(count: number): Promise<void>
  close(): void
}

const STALLED_MS = 60_000
/** data_coding, SMPP 3.4, paragraph 5.2.19: Latin 1. */
const LATIN_1 = '\x03'

export async function openClient({ port, systemId, password, binds, window }: ClientOptions): Promise<SmppClient> {
  let receipts = 0
  let onReceipt: (() => void) | undefined
  let onAnswer: (pdu: smpp.Pdu, out: Buffer[]) => void = () => undefined
  let fail: (error: Error) => void = () => undefined
  let isClosed = false

  async function bind(): Promise<Socket> {
    const socket = createConnection({ host: '127.0.0.1', port, noDelay: true })
    const { promise: bound, resolve, reject } = Promise.withResolvers<void>()
    socket.on('error', reject)
    socket.on('close', () => {
      const error = new Error('the SMPP server closed a connection')
      reject(error)
      if (!isClosed) fail(error)
    })
    smpp.readPdus(socket, (pdu, out) => {
      const { command, sequence, status } = pdu
      if (command === smpp.RESPONSE + smpp.SUBMIT_SM) onAnswer(pdu, out)
      else if (command === smpp.DELIVER_SM) {
        out.push(smpp.toPdu(smpp.RESPONSE + smpp.DELIVER_SM, sequence, '\0'))
        receipts++
        onReceipt?.()
      } else if (command === smpp.ENQUIRE_LINK) out.push(smpp.toPdu(smpp.RESPONSE + command, sequence, ''))
      else if (command === smpp.RESPONSE + smpp.BIND_TRANSCEIVER) {
        if (status === 0) resolve()
        else reject(new Error(`the bind was refused with status 0x${status.toString(16)}`))
      }
    })
    socket.write(smpp.toPdu(smpp.BIND_TRANSCEIVER, 1, `${systemId}\0${password}\0\0\x34\x01\x01\0`))
    await bound
    return socket
  }

  const sockets = await Promise.all(Array.from({ length: binds }, bind))

  async function submit({ count, toNumber, text, withReceipts }: Submitting): Promise<Submitted> {
    const sentAt = new Float64Array(count)
    const tookMs = new Float64Array(count)
    let [next, answered] = [0, 0]
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    fail = reject
    const end = `\0\0\0\0\0\0${withReceipts ? '\x01' : '\0'}\0${LATIN_1}\0${String.fromCharCode(text.length)}${text}`
    const submitNext = (out: Buffer[]) => {
      if (next === count) return
      const index = next++
      sentAt[index] = performance.now()
      out.push(smpp.toPdu(smpp.SUBMIT_SM, index + 1, `\0\0\0\0\x01\x01${toNumber(index)}${end}`))
    }
    onAnswer = ({ status, sequence }, out) => {
      if (status !== 0) return reject(new Error(`a submit was refused with status 0x${status.toString(16)}`))
      tookMs[sequence - 1] = performance.now() - (sentAt[sequence - 1] ?? 0)
      submitNext(out)
      if (++answered === count) resolve()
    }
    const start = performance.now()
    for (const socket of sockets) {
      const out: Buffer[] = []
      for (let open = 0; open < window; open++) submitNext(out)
      if (out.length > 0) socket.write(Buffer.concat(out))
    }
    await promise
    fail = () => undefined
    return { seconds: (performance.now() - start) / 1000, tookMs: tookMs.sort() }
  }

  async function untilReceipts(count: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    fail = reject
    onReceipt = () => {
      if (receipts >= count) resolve()
    }
    onReceipt()
    let before = receipts
    const watching = setInterval(() => {
      if (receipts === before) reject(new Error(`stalled: ${receipts} of ${count} receipts came`))
      before = receipts
    }, STALLED_MS)
    await promise.finally(() => clearInterval(watching))
  }

  return {
    get receipts() {
      return receipts
    },
    submit,
    untilReceipts,
    close() {
      isClosed = true
      for (const socket of sockets) socket.destroy()
    }
  }
}
