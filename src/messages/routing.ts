/** What sending must know of the carriers, which it does not know itself. */
export interface Routing {
  /** How one opts out with the first carrier on the way to this number. */
  stopMention(e164: string): string
  /** Who a message is from when neither it nor its account says so. */
  defaultSender(e164: string): string
  /** The prefix of the route that a number takes; undefined when none leads to it. */
  routeOf(e164: string): string | undefined
  /** Numbers and short codes that we may send from. */
  ourNumbers: readonly string[]
}
