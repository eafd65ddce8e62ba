/** What the tests use of the npm package, which comes without types. It is the foreign peer, and never part of the service. */
declare module 'smpp' {
  interface ForeignPdu {
    [field: string]: unknown
    command: string
    command_id: number
    command_length: number
    command_status: number
    sequence_number: number
    toBuffer(): Buffer
  }
  const smpp: {
    PDU: {
      new (command: string, fields?: Record<string, unknown>): ForeignPdu
      fromBuffer(buffer: Buffer): ForeignPdu | false
    }
    commands: Readonly<Record<string, { id: number }>>
    errors: Readonly<Record<string, number>>
    tlvs: Readonly<Record<string, { id: number }>>
    gsmCoder: { encode(text: string, table: number): Buffer }
  }
  export default smpp
}
