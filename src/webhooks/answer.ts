import type { IncomingMessage } from 'node:http'

export interface Answer {
  status: number
  /** The `retry-after` of the receiver, if there is one: at most 24 hours. */
  retryAfterSeconds?: number
  /** The first 2 kB, for the delivery history. */
  body: string
}

const BODY_BYTES_MAX = 2_048
// The status decides the outcome; the body is only for the history, and reading it keeps the connection open.
const BODY_WAIT_MS = 2_000
const RETRY_AFTER_SECONDS_MAX = 86_400

/** Never rejects: the head is the answer, whatever happens to the body. */
export async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const retryAfterSeconds = readRetryAfter(response.headers['retry-after'], new Date())
  return {
    status: response.statusCode ?? 0,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    body: toText(await readStart(response))
  }
}

/** Seconds or a date (RFC 9110, 10.2.3); undefined when it is neither. */
export function readRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined
  // Date.parse alone would read "-5" or "tomorrow 5" as dates.
  const isDate = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(value)
  if (!isDate && !/^\d+$/.test(value)) return undefined
  const seconds = isDate ? (Date.parse(value) - now.getTime()) / 1000 : Number(value)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), RETRY_AFTER_SECONDS_MAX)
}

async function readStart(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  const timer = setTimeout(() => response.destroy(), BODY_WAIT_MS)
  try {
    // Stopping early destroys the connection; a body that ends in time leaves it for the next post.
    for await (const chunk of response) {
      chunks.push(chunk)
      length += chunk.length
      if (length > BODY_BYTES_MAX) break
    }
  } catch {
    // Cut short by the receiver or by the timer: the bytes that came are kept.
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX)
}

function toText(bytes: Buffer): string {
  // As a stream, so that half a character at the end is left out. PostgreSQL stores no NUL in a text.
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\ufffd')
}
