import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { atEnd } from '../service/cleanup.ts'

export interface Call {
  method: string
  path: string
  query: Record<string, string>
  form: Record<string, string>
  headers: IncomingHttpHeaders
}

interface Answer {
  status?: number
  body?: string
}

/** A receiver of delivery reports on a real socket, which answers as it is told to. */
export async function startCallbackReceiver(
  t: TestContext,
  answer: (call: Call, count: number) => Answer | Promise<Answer> = () => ({})
): Promise<{ url: string; calls: Call[] }> {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://receiver')
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const call = {
      method: request.method ?? '',
      path: pathname,
      query: Object.fromEntries(searchParams),
      form: Object.fromEntries(form),
      headers: request.headers
    }
    calls.push(call)
    const { status = 200, body = 'ACK/Jasmin' } = await answer(call, calls.length)
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

/** Status and body of an answer. */
export async function ask(url: string, init?: RequestInit): Promise<[status: number, body: string]> {
  const answer = await fetch(url, init)
  return [answer.status, await answer.text()]
}
