/**
 * What the tests use of the npm package, which comes without types. It is the foreign peer, and never part of the
 * service.
 */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events'
  import type { Server, Socket } from 'node:net'

  interface ForeignPdu {
    [field: string]: unknown
    command: string
    command_id: number
    command_length: number
    command_status: number
    sequence_number: number
    toBuffer(): Buffer
    /** The answer to it, to be sent. */
    response(fields?: Record<string, unknown>): ForeignPdu
  }

  interface ForeignSession extends EventEmitter {
    readonly socket: Socket
    send(pdu: ForeignPdu): boolean
    deliver_sm(fields: Record<string, unknown>, onAnswer: (answer: ForeignPdu) => void): boolean
    enquire_link(onAnswer: (answer: ForeignPdu) => void): boolean
    unbind(onAnswer: (answer: ForeignPdu) => void): boolean
    close(): void
    destroy(): void
  }

  const smpp: {
    PDU: {
      new (command: string, fields?: Record<string, unknown>): ForeignPdu
      fromBuffer(buffer: Buffer): ForeignPdu | false
    }
    createServer(options: { key?: string; cert?: string }, onSession: (session: ForeignSession) => void): Server
    commands: Readonly<Record<string, { id: number }>>
    errors: Readonly<Record<string, number>>
    tlvs: Readonly<Record<string, { id: number }>>
    gsmCoder: { encode(text: string, table: number): Buffer }
  }

  export type { ForeignPdu, ForeignSession }
  export default smpp
}
