import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Client } from '../client.ts'
import { type Command, textOf, textsOf } from './command.ts'
import { connect } from './credentials.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { formOf, printRecord } from './output.ts'

/** What the package beside this one has. It brings the protocol with it, so this one only knows its name. */
interface Assistants {
  serveStdio(client: Client, signal: AbortSignal): Promise<void>
  serveHttp(
    client: Client,
    options: { host: string; port: number; token: string; hosts: string[]; origins: string[] }
  ): Promise<{ url: string; close(): Promise<void> }>
}

const PACKAGE: string = '@chappe/mcp'
const PORT = 3100
const TOKEN_LENGTH_MIN = 32

export const mcp: Command = {
  usage: 'mcp [--http] [--host HOST] [--port PORT] [--allow-host NAME…] [--allow-origin URL…]',
  summary: 'Serve assistants over the Model Context Protocol: on the standard input and output, or over HTTP',
  options: {
    http: { type: 'boolean' },
    host: { type: 'string' },
    port: { type: 'string' },
    'allow-host': { type: 'string', multiple: true },
    'allow-origin': { type: 'string', multiple: true }
  },
  async run({ given }, io) {
    const client = await connect(io.env)
    const assistants = (await import(PACKAGE).catch((error: Error) => {
      throw new UsageError(`mcp needs the package ${PACKAGE}, as a checkout has it: ${error.message}`)
    })) as Assistants
    await tellScopes(client, io)
    if (given.http !== true) {
      await assistants.serveStdio(client, io.signal)
      return EXIT.done
    }
    const host = textOf(given.host) ?? '127.0.0.1'
    const port = readPort(textOf(given.port))
    const token = tokenFor(host, io)
    const server = await assistants.serveHttp(client, {
      host,
      port,
      token: token.text,
      hosts: textsOf(given['allow-host']),
      origins: textsOf(given['allow-origin'])
    })
    // A token of one's own is not shown again.
    const shown = { url: server.url, ...(token.isMadeUp && { token: token.text }) }
    printRecord(io, shown, formOf(given))
    if (!io.signal.aborted) await once(io.signal, 'abort')
    await server.close()
    return EXIT.done
  }
}

async function tellScopes(client: Client, io: Io): Promise<void> {
  const { permissions } = await client.call('GET /users/me', {}, { signal: io.signal })
  if (permissions.includes('send')) {
    io.err('This key has the scope send, so assistants can’t send with it: make one with read and send_confirmed.\n')
  } else if (!permissions.includes('send_confirmed')) {
    io.err('This key lacks the scope send_confirmed, so assistants can only read.\n')
  }
}

function readPort(text = String(PORT)): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new UsageError(`--port must be a port, such as ${PORT}, not ${text}`)
  return port
}

/** Beyond this machine a token that is made up at each start would be copied around: there it must be chosen. */
function tokenFor(host: string, { env }: Io): { text: string; isMadeUp: boolean } {
  const given = env.CHAPPE_MCP_TOKEN
  if (given !== undefined && given.length < TOKEN_LENGTH_MIN) {
    throw new UsageError(`CHAPPE_MCP_TOKEN must have at least ${TOKEN_LENGTH_MIN} characters`)
  }
  if (given !== undefined) return { text: given, isMadeUp: false }
  if (!['127.0.0.1', '::1', 'localhost'].includes(host)) {
    throw new UsageError('--host beyond this machine needs CHAPPE_MCP_TOKEN')
  }
  return { text: randomBytes(32).toString('base64url'), isMadeUp: true }
}
