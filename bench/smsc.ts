import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import * as smpp from './smpp-pdu.ts'

/*
 * An SMPP server that answers every submit_sm at once and sends a delivery receipt right behind. It reads only what it
 * needs, so that it can take some hundred thousand messages a second: our simulator, which does much more, would be the
 * limit of what is measured.
 */

/** On a busy machine a stage may stand still for a while, but not for a minute. */
const STALLED_MS = 60_000

export interface Smsc {
  port: number
  /** Messages that were submitted, and receipts that were answered. */
  readonly submitted: number
  readonly answered: number
  /** How many receipts may be without an answer on each bind: the carrier's own window. No limit at first. */
  receiptsAtOnce: number
  /** When each message was submitted, by the number it was sent to: `performance.now()`. Off until it is asked for. */
  watch(): Map<string, number>
  /** Waits until so many receipts have been answered since the start. Rejects when a minute passes without an answer. */
  untilAnswered(count: number): Promise<void>
  close(): Promise<void>
}

/** With `answerMs`, each submit_sm is answered after so long, half of it more or less: the way to a carrier and back. */
export async function startSmsc({ answerMs = 0 }: { answerMs?: number } = {}): Promise<Smsc> {
  const sockets = new Set<Socket>()
  const counts = { submitted: 0, answered: 0, refused: 0 }
  let watched: Map<string, number> | undefined
  let waiting: { count: number; resolve: () => void } | undefined
  let receiptsAtOnce = Number.POSITIVE_INFINITY

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    let [receipts, unanswered] = [0, 0]
    const held: Buffer[] = []
    const sendReceipts = (out: Buffer[]) => {
      for (; held.length > 0 && unanswered < receiptsAtOnce; unanswered++) out.push(held.shift() as Buffer)
    }
    /** Answers of a far carrier do not come together, nor in the order of the submits. */
    const answerLater = (answer: (out: Buffer[]) => void) => {
      setTimeout(
        () => {
          const out: Buffer[] = []
          answer(out)
          socket.write(Buffer.concat(out))
        },
        answerMs * (0.5 + Math.random())
      )
    }
    smpp.readPdus(socket, ({ data, start, command, sequence, status }, out) => {
      if (command === smpp.SUBMIT_SM) {
        const id = (++counts.submitted).toString(16)
        const { source, destination } = readAddresses(data, start + smpp.HEADER_BYTES)
        watched?.set(destination, performance.now())
        const answer = (out: Buffer[]) => {
          out.push(smpp.toPdu(smpp.RESPONSE + command, sequence, `${id}\0`))
          held.push(toReceipt(++receipts, { id, source, destination }))
          sendReceipts(out)
        }
        if (answerMs === 0) answer(out)
        else answerLater(answer)
      } else if (command === smpp.RESPONSE + smpp.DELIVER_SM) {
        if (status === 0) counts.answered++
        else counts.refused++
        unanswered--
        sendReceipts(out)
        if (waiting && counts.answered >= waiting.count) waiting.resolve()
      } else if (smpp.isBind(command)) out.push(smpp.toPdu(smpp.RESPONSE + command, sequence, 'bench\0'))
      else if (command === smpp.ENQUIRE_LINK || command === smpp.UNBIND) {
        out.push(smpp.toPdu(smpp.RESPONSE + command, sequence, ''))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  async function untilAnswered(count: number): Promise<void> {
    if (counts.answered >= count) return
    let before = counts.answered
    const stalled = Promise.withResolvers<never>()
    const watching = setInterval(() => {
      const { submitted, answered, refused } = counts
      if (answered === before) {
        stalled.reject(
          new Error(`stalled: ${submitted} submitted, ${answered} of ${count} answered, ${refused} refused`)
        )
      }
      before = answered
    }, STALLED_MS)
    const done = new Promise<void>((resolve) => {
      waiting = { count, resolve }
    })
    await Promise.race([done, stalled.promise]).finally(() => clearInterval(watching))
  }

  return {
    port: (server.address() as AddressInfo).port,
    get submitted() {
      return counts.submitted
    },
    get answered() {
      return counts.answered
    },
    get receiptsAtOnce() {
      return receiptsAtOnce
    },
    set receiptsAtOnce(count) {
      receiptsAtOnce = count
    },
    watch() {
      watched ??= new Map()
      return watched
    },
    untilAnswered,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

/** service_type, then twice ton, npi and an address. */
function readAddresses(data: Buffer, start: number): { source: string; destination: string } {
  const sourceStart = data.indexOf(0, start) + 3
  const sourceEnd = data.indexOf(0, sourceStart)
  const destinationStart = sourceEnd + 3
  const destinationEnd = data.indexOf(0, destinationStart)
  return {
    source: data.toString('latin1', sourceStart, sourceEnd),
    destination: data.toString('latin1', destinationStart, destinationEnd)
  }
}

function toReceipt(sequence: number, { id, source, destination }: { id: string; source: string; destination: string }) {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:DELIVRD err:000 text:`
  const [before, after] = ['\0\x01\x01', '\0\x01\x01']
  // esm_class 4: a delivery receipt. Then six fields that are empty or zero, and the length of the text.
  const rest = `\0\x04\0\0\0\0\0\0\0\0${String.fromCharCode(text.length)}${text}`
  return smpp.toPdu(smpp.DELIVER_SM, sequence, `${before}${destination}${after}${source}${rest}`)
}
