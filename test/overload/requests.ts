/*
 * What the load consists of. A request is told by its stream and its number alone, so that whoever made it and whoever looks
 * for what became of it agree without having to remember a million of them.
 */

export type Kind = 'send' | 'bulk' | 'credits' | 'messages'

export interface Stream {
  /** Also the beginning of its external ids. */
  name: string
  apiKey: string
  /** The kinds of its requests, in turn. */
  kinds: readonly Kind[]
  /** By the clock, whether or not earlier ones were answered; 0 asks again as soon as there is an answer. */
  perSecond: number
  seconds: number
  connectionsMax: number
  /** Tells its phones from those of other streams: below 10. */
  position: number
}

export const BULK_RECIPIENTS = 1_000
/** So many requests of a stream have phones of their own. */
export const REQUESTS_MAX = 2_000_000
const BULKS_MAX = 5_000

export function kindOf({ kinds }: Pick<Stream, 'kinds'>, number: number): Kind {
  return kinds[number % kinds.length] ?? 'send'
}

export function externalIdOf({ name }: Pick<Stream, 'name'>, number: number): string {
  return `${name}-${number}`
}

/** French mobiles that simply receive: +336 1 and 2 for single sends, +336 4 to 8 for bulks; each is used once. */
export function phonesOf(stream: Pick<Stream, 'kinds' | 'position'>, number: number): string[] {
  const kind = kindOf(stream, number)
  if (kind === 'send') return [`+336${10_000_000 + stream.position * REQUESTS_MAX + number}`]
  if (kind !== 'bulk') return []
  const first = 40_000_000 + (stream.position * BULKS_MAX + (number % BULKS_MAX)) * BULK_RECIPIENTS
  return Array.from({ length: BULK_RECIPIENTS }, (_, index) => `+336${first + index}`)
}

export function textOf(stream: Stream, number: number, host: string): string {
  const kind = kindOf(stream, number)
  const common = `host: ${host}\r\nx-api-key: ${stream.apiKey}\r\n`
  if (kind === 'credits') return `GET /users/credits HTTP/1.1\r\n${common}\r\n`
  if (kind === 'messages') return `GET /messages?limit=10 HTTP/1.1\r\n${common}\r\n`
  const body = JSON.stringify({
    recipients: phonesOf(stream, number),
    content: 'Votre code est 4821.',
    external_id: externalIdOf(stream, number)
  })
  return (
    `POST /messages/sms HTTP/1.1\r\n${common}content-type: application/json\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`
  )
}
