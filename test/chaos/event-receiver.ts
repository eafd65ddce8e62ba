import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The service waits 15 s for an answer. */
const PAST_TIMEOUT_MS = 17_000

export type ReceiverConduct = 'well' | 'silent' | 'failing'

/** An event as the receiver got it, however often. */
export interface ReceivedEvent {
  type: string
  sequence: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service sends, as a receiver gets it.
  record: any
  /** More than one would be a repeat that can't be told. */
  webhookIds: Set<string>
  /** Whether one of its posts was answered with 200 in time: the others do not count as received. */
  isTaken: boolean
}

/** A customer's receiver of webhooks, which keeps every event it is told, and may be well or not. */
export class EventReceiver {
  conduct: ReceiverConduct = 'well'
  readonly events = new Map<number, ReceivedEvent>()
  readonly counts = { posts: 0, taken: 0, refused: 0, unanswered: 0 }
  url = ''
  readonly #server = createServer(async (request, response) => {
    const text = await readText(request).catch(() => undefined) // Whoever posted was killed meanwhile: it is posted again.
    if (text === undefined) return
    response.statusCode = await this.#receive(JSON.parse(text))
    response.end()
  })

  async start(): Promise<void> {
    // A process that is killed in the middle of a post leaves half a request: that is nobody's error.
    this.#server.on('clientError', (_error, socket) => socket.destroy())
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async #receive({ id, type, data }: { id: string; type: string; data: any[] }): Promise<number> {
    this.counts.posts++
    const { conduct } = this
    if (conduct === 'silent') {
      this.counts.unanswered++
      await sleep(PAST_TIMEOUT_MS, undefined, { ref: false })
    } else if (conduct === 'failing') this.counts.refused++
    else this.counts.taken++
    for (const record of data) {
      const { sequence } = record
      const known = this.events.get(sequence)
      const event = known ?? { type, sequence, record, webhookIds: new Set<string>(), isTaken: false }
      event.webhookIds.add(id)
      event.isTaken ||= conduct === 'well'
      this.events.set(sequence, event)
    }
    return conduct === 'failing' ? 500 : 200
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
