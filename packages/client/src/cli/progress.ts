import type { Io } from './io.ts'

const WIDTH = 30

/** Draws a bar on the terminal; without one it draws nothing. */
export function createBar(io: Io, total: number): { move(done: number): void; end(): void } {
  let shown = -1
  return {
    move(done) {
      const percent = total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100))
      if (!io.isTerminal || percent === shown) return
      shown = percent
      const filled = Math.round((percent / 100) * WIDTH)
      io.err(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${percent} %`)
    },
    end() {
      if (io.isTerminal && shown >= 0) io.err('\n')
    }
  }
}

/** A `fetch` that tells how many octets of a form have left. Each try begins anew. */
export function countingFetch(onSent: (octets: number) => void): typeof fetch {
  return async (input, init) => {
    if (!(init?.body instanceof FormData)) return fetch(input, init)
    const whole = new Response(init.body)
    let sent = 0
    const counted = whole.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          sent += chunk.byteLength
          onSent(sent)
          controller.enqueue(chunk)
        }
      })
    )
    const headers = new Headers(init.headers)
    headers.set('content-type', whole.headers.get('content-type') ?? '')
    return fetch(input, { ...init, headers, body: counted, duplex: 'half' } as RequestInit)
  }
}
