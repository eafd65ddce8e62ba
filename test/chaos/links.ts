import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { PduReader } from '../../src/smpp/decode.ts'
import { ProtocolError } from '../../src/smpp/protocol-error.ts'

/*
 * What lies between the service and the carrier: a port that leads to the carrier's, whose links can be cut and blackholed,
 * and which notes what passes. So it is known from outside what was submitted over which link, and what of it was answered
 * when that link was lost.
 */

const PDU_BYTES_MAX = 70_000

export interface Submit {
  /** As digits. */
  phone: string
  at: number
  answeredAt: number | undefined
  link: Link
}

export interface Link {
  openedAt: number
  closedAt: number | undefined
  /** Ended by an unbind: nothing was on its way. */
  isUnbound: boolean
  /** What has no answer yet, by sequence number. */
  unanswered: Map<number, Submit>
}

export class Links {
  readonly submits: Submit[] = []
  readonly links: Link[] = []
  port = 0
  readonly #open = new Map<Link, { client: Socket; carrier: Socket; isSilent: boolean }>()
  readonly #target: { host: string; port: number }
  readonly #server = createServer((client) => this.#connect(client))

  constructor(target: { host: string; port: number }) {
    this.#target = target
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  get openCount(): number {
    return this.#open.size
  }

  /** By RST, in both directions. */
  cut(): void {
    for (const { client, carrier } of this.#open.values())
      for (const socket of [client, carrier]) socket.resetAndDestroy()
  }

  /** Nothing passes over the links that are there now, until the function that is returned is called. */
  blackhole(): (isGone: boolean) => void {
    const silenced = [...this.#open.values()]
    for (const link of silenced) {
      link.isSilent = true
      for (const socket of [link.client, link.carrier]) socket.pause()
    }
    return (isGone) => {
      for (const link of silenced) {
        link.isSilent = false
        for (const socket of [link.client, link.carrier]) {
          if (isGone) socket.destroy()
          else socket.resume()
        }
      }
    }
  }

  #connect(client: Socket): void {
    const carrier = connect(this.#target)
    const link: Link = { openedAt: Date.now(), closedAt: undefined, isUnbound: false, unanswered: new Map() }
    const open = { client, carrier, isSilent: false }
    this.links.push(link)
    this.#open.set(link, open)
    this.#pass(open, client, carrier, this.#noteRequests(link))
    this.#pass(open, carrier, client, noteAnswers(link))
    for (const socket of [client, carrier]) {
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy()) // Either side may go at any time; `close` follows.
      socket.on('close', () => {
        link.closedAt ??= Date.now()
        this.#open.delete(link)
        client.destroy()
        carrier.destroy()
      })
    }
  }

  #pass(open: { isSilent: boolean }, from: Socket, to: Socket, note: (chunk: Buffer) => void): void {
    from.on('data', (chunk: Buffer) => {
      note(chunk)
      if (!to.write(chunk)) from.pause()
    })
    from.on('end', () => to.end())
    to.on('drain', () => open.isSilent || from.resume())
  }

  #noteRequests(link: Link): (chunk: Buffer) => void {
    const reader = new PduReader({ pduBytesMax: PDU_BYTES_MAX })
    return (chunk) => {
      for (const pdu of reader.push(chunk)) {
        if (pdu instanceof ProtocolError) continue
        if (pdu.command === 'unbind') link.isUnbound = true
        if (pdu.command !== 'submit_sm') continue
        const phone = pdu.destinationAddr.replace(/\D/g, '')
        const submit: Submit = { phone, at: Date.now(), answeredAt: undefined, link }
        this.submits.push(submit)
        link.unanswered.set(pdu.sequence, submit)
      }
    }
  }
}

function noteAnswers(link: Link): (chunk: Buffer) => void {
  const reader = new PduReader({ pduBytesMax: PDU_BYTES_MAX })
  return (chunk) => {
    for (const pdu of reader.push(chunk)) {
      if (pdu instanceof ProtocolError || pdu.command !== 'submit_sm_resp') continue
      const submit = link.unanswered.get(pdu.sequence)
      if (!submit) continue
      submit.answeredAt = Date.now()
      link.unanswered.delete(pdu.sequence)
    }
  }
}
