import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

/*
 * An SMPP server that answers every submit_sm at once and sends a delivery receipt right behind. It reads only what it
 * needs, so that it can take some hundred thousand messages a second: our simulator, which does much more, would be the
 * limit of what is measured.
 */

const SUBMIT_SM = 0x00000004
const DELIVER_SM = 0x00000005
const ENQUIRE_LINK = 0x00000015
const UNBIND = 0x00000006
const DELIVER_SM_RESP = 0x80000005
const BINDS = new Set([0x00000001, 0x00000002, 0x00000009])
const RESPONSE = 0x80000000
const HEADER_BYTES = 16

export interface Smsc {
  port: number
  /** Messages that were submitted, and receipts that were answered. */
  readonly submitted: number
  readonly answered: number
  /** When each message was submitted, by the number it was sent to: `performance.now()`. Off until it is asked for. */
  watch(): Map<string, number>
  /** Waits until so many receipts have been answered since the start. */
  untilAnswered(count: number): Promise<void>
  close(): Promise<void>
}

export async function startSmsc(): Promise<Smsc> {
  const sockets = new Set<Socket>()
  const counts = { submitted: 0, answered: 0, nextId: 1 }
  let watched: Map<string, number> | undefined
  let waiting: { count: number; resolve: () => void } | undefined

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    let rest: Buffer = Buffer.alloc(0)
    let sequence = 1
    socket.on('data', (chunk: Buffer) => {
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const out: Buffer[] = []
      let at = 0
      for (; data.length - at >= HEADER_BYTES; ) {
        const length = data.readUInt32BE(at)
        if (data.length - at < length) break
        const command = data.readUInt32BE(at + 4)
        const itsSequence = data.readUInt32BE(at + 12)
        if (command === SUBMIT_SM) {
          const id = (counts.nextId++).toString(16)
          const { source, destination } = readAddresses(data, at + HEADER_BYTES)
          counts.submitted++
          watched?.set(destination, performance.now())
          out.push(
            toPdu(RESPONSE + SUBMIT_SM, itsSequence, `${id}\0`),
            toReceipt(sequence++, { id, source, destination })
          )
        } else if (command === DELIVER_SM_RESP) counts.answered++
        else if (BINDS.has(command)) out.push(toPdu(RESPONSE + command, itsSequence, 'bench\0'))
        else if (command === ENQUIRE_LINK || command === UNBIND) out.push(toPdu(RESPONSE + command, itsSequence, ''))
        at += length
      }
      rest = data.subarray(at)
      if (out.length > 0) socket.write(Buffer.concat(out))
      if (waiting && counts.answered >= waiting.count) waiting.resolve()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    get submitted() {
      return counts.submitted
    },
    get answered() {
      return counts.answered
    },
    watch() {
      watched ??= new Map()
      return watched
    },
    untilAnswered(count) {
      if (counts.answered >= count) return Promise.resolve()
      return new Promise((resolve) => {
        waiting = { count, resolve }
      })
    },
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
  return toPdu(DELIVER_SM, sequence, `${before}${destination}${after}${source}${rest}`)
}

function toPdu(command: number, sequence: number, body: string): Buffer {
  const pdu = Buffer.allocUnsafe(HEADER_BYTES + body.length)
  pdu.writeUInt32BE(pdu.length, 0)
  pdu.writeUInt32BE(command, 4)
  pdu.writeUInt32BE(0, 8)
  pdu.writeUInt32BE(sequence, 12)
  pdu.write(body, HEADER_BYTES, 'latin1')
  return pdu
}
