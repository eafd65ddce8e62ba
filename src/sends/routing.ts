import type { OurNumbers } from '../compliance/sender.ts'
import type { Channel } from '../messages/message.ts'

/** What sending must know of the carriers, which it does not know itself. */
export interface Routing extends OurNumbers {
  /** How one opts out with the first carrier on the way to this number. */
  stopMention(e164: string): string
  /** Who a message is from when neither it nor its account says so. */
  defaultSender(e164: string): string
  /** The name of the route that a number takes; undefined when none leads to it. */
  routeOf(channel: Channel, e164: string): string | undefined
  /** The name of the way through this SMS carrier, wherever the routes lead; undefined when there is none of that name. */
  routeThrough(carrier: string): string | undefined
  /** The name of the way of those whom RCS does not lead to, and who have a fallback: they take that at once. */
  unreachedRoute: string
  /** Who an RCS to this number is from. */
  agentOf(e164: string): string
  /** All the routes there are. */
  readonly routes: readonly { channel: Channel }[]
}
