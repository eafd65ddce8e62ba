import { randomBytes } from 'node:crypto'
import { type EventType, events, type FeedEvent } from '../events.ts'
import { signWebhook } from '../webhooks.ts'
import { type Arguments, type Command, textOf } from './command.ts'
import { connect } from './credentials.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { formOf } from './output.ts'

/* Commands that run until they are stopped. */

const options = { types: { type: 'string' }, all: { type: 'boolean' }, count: { type: 'string' } } as const

export const tail: Command = {
  usage: 'tail [--types TYPE,…] [--all] [--count N]',
  summary: 'Print events as they come; --all begins with the oldest that is kept',
  options,
  run: ({ given }, io) =>
    follow(given, io, async (event) => {
      const { type, timestamp, data } = event
      io.out(
        formOf(given) === 'json' ? `${JSON.stringify(event)}\n` : `${timestamp}  ${type}  ${JSON.stringify(data)}\n`
      )
    })
}

export const listen: Command = {
  usage: 'webhooks listen <url> [--secret SECRET] [--types TYPE,…] [--all] [--count N]',
  summary: 'Post events to a local address, signed like webhooks: no tunnel is needed',
  options: { ...options, secret: { type: 'string' } },
  words: [1, 1],
  async run({ words: [url = ''], given }, io) {
    if (!URL.canParse(url)) throw new UsageError(`the address must be a URL, such as http://127.0.0.1:8080, not ${url}`)
    const secret = textOf(given.secret) ?? `whsec_${randomBytes(32).toString('base64')}`
    if (given.secret === undefined) io.err(`Verify signatures with ${secret}\n`)
    return follow(given, io, async (event) => {
      const answer = await post(url, secret, event, io.signal)
      const line = { id: event.id, type: event.type, ...answer }
      io.out(
        formOf(given) === 'json'
          ? `${JSON.stringify(line)}\n`
          : `${event.timestamp}  ${event.type}  evt_${event.id}  ${answer.status ?? answer.error}\n`
      )
    })
  }
}

async function follow(given: Arguments['given'], io: Io, each: (event: FeedEvent) => Promise<void>): Promise<number> {
  const count = readCount(textOf(given.count))
  const types = textOf(given.types)?.split(',') as EventType[] | undefined
  const client = await connect(io.env)
  let told = 0
  try {
    // A service that can't be reached is told at once. One that goes away later may be restarting: it is waited for.
    await client.call('GET /events', { query: { limit: 1 } }, { signal: io.signal })
    const retries = io.env.CHAPPE_RETRIES === undefined ? Number.POSITIVE_INFINITY : undefined
    for await (const event of events(client, { types, fromNow: given.all !== true, signal: io.signal, retries })) {
      await each(event)
      told++
      if (told === count) break
    }
  } catch (error) {
    // Stopped by Ctrl-C, which is how these commands end.
    if (!io.signal.aborted) throw error
  }
  return EXIT.done
}

function readCount(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`--count must be a whole number, such as 10, not ${text}`)
  return Number(text)
}

const POST_TIMEOUT_MS = 15_000

/** Posts once: a developer reads the result and sends the next event. */
async function post(
  url: string,
  secret: string,
  { id, type, timestamp, data }: FeedEvent,
  signal: AbortSignal
): Promise<{ status?: number; error?: string }> {
  const name = `evt_${id}`
  const body = JSON.stringify({ id: name, type, timestamp, data: [data] })
  const headers = { 'content-type': 'application/json', ...(await signWebhook({ secret, id: name, body })) }
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(POST_TIMEOUT_MS)])
    })
    await answer.body?.cancel()
    return { status: answer.status }
  } catch (error) {
    if (signal.aborted) throw error
    const { cause, message } = error as Error
    return { error: cause instanceof Error ? cause.message : message }
  }
}
