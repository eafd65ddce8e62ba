import type { OurNumbers } from '../compliance/sender.ts'
import type { Channel } from '../messages/message.ts'

/** The knowledge of carriers that sends need. Sends do not import the carriers: the service passes this in. */
export interface Routing extends OurNumbers {
  /** The opt-out mention of the first carrier on the route of this number. */
  stopMention(e164: string): string
  /** The sender when neither the message nor its account names one. */
  defaultSender(e164: string): string
  /** The route of a number; undefined when no route leads to it. */
  routeOf(channel: Channel, e164: string): string | undefined
  /** The route through this SMS carrier, whatever the routes say; undefined when there is no such carrier. */
  routeThrough(carrier: string): string | undefined
  /** The route of recipients that RCS does not reach and that have a fallback: they fall back at once. */
  unreachedRoute: string
  /** The sender of an RCS to this number. */
  agentOf(e164: string): string
  /** All routes. */
  readonly routes: readonly { channel: Channel }[]
}
