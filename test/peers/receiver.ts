import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { atEnd } from '../service/cleanup.ts'

export interface ReceivedPost {
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service sends, as a receiver gets it.
  body: any
}

export interface Receiver {
  url: string
  posts: ReceivedPost[]
  /** All records of all posts, in the order they came. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  records(): any[]
}

/** A status alone, or with headers. */
type Answered = number | { status: number; headers: Record<string, string> }
type Answer = (post: ReceivedPost) => Answered | Promise<Answered>

/** A receiver of webhooks on a real socket, which answers as it is told to. */
export async function startReceiver(t: TestContext, answer: Answer = () => 200): Promise<Receiver> {
  const posts: ReceivedPost[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const post = { headers: request.headers, text, body: JSON.parse(text) }
    posts.push(post)
    const answered = await answer(post)
    const { status, headers } = typeof answered === 'number' ? { status: answered, headers: {} } : answered
    response.writeHead(status, headers).end('thank you')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, posts, records: () => posts.flatMap(({ body }) => body.data) }
}
