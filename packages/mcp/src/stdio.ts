import type { Client } from '@chappe/client'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createServer } from './tools.ts'

/** Speaks to the program that started this one, until it closes the standard input or the signal ends it. */
export async function serveStdio(client: Client, signal: AbortSignal): Promise<void> {
  const server = createServer(client)
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve
    process.stdin.once('end', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await server.connect(new StdioServerTransport())
  await closed
  await server.close()
}
