import { strict as assert } from 'node:assert'
import type { EventEmitter } from 'node:events'
import type { TestContext } from 'node:test'
import smpp from 'smpp'
import { eventually } from '../../test/checks/eventually.ts'
import { atEnd } from '../../test/service/cleanup.ts'

/*
 * The npm package `smpp` as the client, for tests: its authors read the specification independently. It settles nothing when
 * the peer drops, and its close() never calls back on a closed socket. This class does both.
 */

export type ForeignPdu = InstanceType<typeof smpp.PDU>

interface ForeignSession extends EventEmitter {
  send(pdu: ForeignPdu, onAnswer?: (answer: ForeignPdu) => void): boolean
  destroy(): void
}

const { connect, addTLV, types } = smpp as unknown as {
  connect(options: ClientAddress): ForeignSession
  addTLV(name: string, options: { id: number; type: unknown }): void
  types: { tlv: { string: unknown } }
}

// The package knows no parameters of vendors.
addTLV('external_id', { id: 0x1501, type: types.tlv.string })

export interface ClientAddress {
  host: string
  port: number
  tls?: boolean
  /** For TLS: the certificate to trust, and the name in it. */
  ca?: string
  servername?: string
}

/** The specification's statuses, as the package knows them. */
export const ERRORS = smpp.errors

export interface ClientOptions {
  mode?: 'transceiver' | 'transmitter' | 'receiver'
  systemId?: string
  password?: string
  /** The status that answers receipts and replies; undefined is no answer. */
  answerStatus?: number | undefined
}

export class ForeignClient {
  /** All receipts and replies, in the order of arrival. */
  readonly delivered: ForeignPdu[] = []
  /** All PDUs that came. */
  readonly received: ForeignPdu[] = []
  readonly closed: Promise<void>
  isClosed = false
  lastError = ''
  readonly #session: ForeignSession

  constructor(address: ClientAddress, { answerStatus }: ClientOptions) {
    this.#session = connect(address)
    this.#session.on('error', (error: Error) => {
      this.lastError = error.message
    })
    this.closed = new Promise((resolve) => {
      this.#session.once('close', () => {
        this.isClosed = true
        resolve()
      })
    })
    this.#session.on('pdu', (pdu: ForeignPdu) => this.received.push(pdu))
    this.#session.on('deliver_sm', (pdu: ForeignPdu) => {
      this.delivered.push(pdu)
      if (answerStatus !== undefined) this.#answer('deliver_sm_resp', pdu, answerStatus)
    })
    this.#session.on('unbind', (pdu: ForeignPdu) => this.#answer('unbind_resp', pdu, 0))
  }

  /** Rejects when the link is lost before the answer. */
  async ask(command: string, fields: Record<string, unknown> = {}): Promise<ForeignPdu> {
    const { promise, resolve, reject } = Promise.withResolvers<ForeignPdu>()
    this.closed.then(() => reject(new Error('The link was lost before the answer.')))
    if (this.isClosed || !this.#session.send(new smpp.PDU(command, fields), resolve))
      reject(new Error('The link is gone.'))
    return promise
  }

  submit(to: string, text: string, fields: Record<string, unknown> = {}): Promise<ForeignPdu> {
    return this.ask('submit_sm', {
      source_addr: '36111',
      destination_addr: to,
      registered_delivery: 1,
      short_message: text,
      ...fields
    })
  }

  /** The receipts so far: the id and the state of each, from the text. */
  receipts(): { id: string; word: string }[] {
    return this.delivered.filter(isReceipt).map((pdu) => {
      const [, id = '', word = ''] = /^id:(\S+) .* stat:(\S+) /.exec(textOf(pdu)) ?? []
      return { id, word }
    })
  }

  /** The replies so far. */
  replies(): ForeignPdu[] {
    return this.delivered.filter((pdu) => !isReceipt(pdu))
  }

  /** Answers a request that came, the last one unless given. */
  answer(command: string, request = this.received.at(-1)): void {
    assert.ok(request)
    this.#answer(command, request, 0)
  }

  destroy(): void {
    this.#session.destroy()
  }

  #answer(command: string, { sequence_number }: ForeignPdu, command_status: number): void {
    this.#session.send(new smpp.PDU(command, { sequence_number, command_status }))
  }
}

export async function bindForeign(
  t: TestContext,
  address: ClientAddress,
  options: ClientOptions = {}
): Promise<ForeignClient> {
  const { client, answer } = await tryBind(t, address, options)
  assert.equal(answer.command_status, 0)
  return client
}

export async function tryBind(
  t: TestContext,
  address: ClientAddress,
  options: ClientOptions = {}
): Promise<{ client: ForeignClient; answer: ForeignPdu }> {
  const { mode = 'transceiver', systemId: system_id = 'client', password = 'secret' } = options
  const client = new ForeignClient(address, { answerStatus: 0, ...options })
  atEnd(t, () => client.destroy())
  return { client, answer: await client.ask(`bind_${mode}`, { system_id, password, interface_version: 0x34 }) }
}

/** Waits until it has this many receipts, and gives them. */
export function waitForReceipts(client: ForeignClient, count: number): Promise<{ id: string; word: string }[]> {
  return eventually(() => {
    const receipts = client.receipts()
    assert.ok(receipts.length >= count, `${receipts.length} of ${count} receipts`)
    return receipts
  })
}

/** Waits until it has this many replies, and gives them. */
export function waitForReplies(client: ForeignClient, count: number): Promise<ForeignPdu[]> {
  return eventually(() => {
    const replies = client.replies()
    assert.ok(replies.length >= count, `${replies.length} of ${count} replies`)
    return replies
  })
}

export function textOf(pdu: ForeignPdu): string {
  const text = (pdu.short_message as { message: string | Buffer } | undefined)?.message ?? ''
  return typeof text === 'string' ? text : text.toString('latin1')
}

function isReceipt({ esm_class }: ForeignPdu): boolean {
  return (Number(esm_class) & 0x04) !== 0
}
