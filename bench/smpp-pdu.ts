import type { Socket } from 'node:net'

/*
 * The header of SMPP PDUs, for the server and the client of benches. Not our codec: it checks much that costs time here.
 */

export const BIND_TRANSCEIVER = 0x00000009
export const SUBMIT_SM = 0x00000004
export const DELIVER_SM = 0x00000005
export const UNBIND = 0x00000006
export const ENQUIRE_LINK = 0x00000015
export const RESPONSE = 0x80000000
export const HEADER_BYTES = 16
const BIND_RECEIVER = 0x00000001
const BIND_TRANSMITTER = 0x00000002

export interface Pdu {
  /** The PDU begins at `start` of these bytes. */
  data: Buffer
  start: number
  command: number
  status: number
  sequence: number
}

export function isBind(command: number): boolean {
  return command === BIND_TRANSCEIVER || command === BIND_TRANSMITTER || command === BIND_RECEIVER
}

/** Calls `onPdu` for each PDU of a socket. All that it adds to `out` for one chunk leaves in one write. */
export function readPdus(socket: Socket, onPdu: (pdu: Pdu, out: Buffer[]) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const out: Buffer[] = []
    let start = 0
    while (data.length - start >= HEADER_BYTES) {
      const length = data.readUInt32BE(start)
      if (data.length - start < length) break
      const command = data.readUInt32BE(start + 4)
      onPdu(
        { data, start, command, status: data.readUInt32BE(start + 8), sequence: data.readUInt32BE(start + 12) },
        out
      )
      start += length
    }
    rest = data.subarray(start)
    if (out.length > 0) socket.write(Buffer.concat(out))
  })
}

export function toPdu(command: number, sequence: number, body: string): Buffer {
  const pdu = Buffer.allocUnsafe(HEADER_BYTES + body.length)
  pdu.writeUInt32BE(pdu.length, 0)
  pdu.writeUInt32BE(command, 4)
  pdu.writeUInt32BE(0, 8)
  pdu.writeUInt32BE(sequence, 12)
  pdu.write(body, HEADER_BYTES, 'latin1')
  return pdu
}
