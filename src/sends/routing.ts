import type { OurNumbers } from '../compliance/sender.ts'
import type { Category, Channel } from '../messages/message.ts'
import type { PriceBook } from '../prices/price.ts'

/** The knowledge of carriers that sends need. Sends do not import the carriers: the service passes this in. */
export interface Routing extends OurNumbers {
  forMessage(message: RoutedMessage): MessageRoutes
  /** What messages take, which goes by the same numbers. */
  readonly prices: PriceBook
  /** Whether routes name accounts, so that the parent of an account has to be known. */
  readonly hasAccountRoutes: boolean
  /** The route through this SMS carrier, whatever the routes say; undefined when there is no such carrier. */
  routeThrough(carrier: string): string | undefined
  /** The id of an agent that the account may use, by its id or its carrier's name; undefined when there is none. */
  agentFor(idOrCarrier: string, accountId: number): string | undefined
  /** The route of recipients that RCS does not reach and that have a fallback: they fall back at once. */
  unreachedRoute: string
  /** All routes. */
  readonly routes: readonly { channel: Channel }[]
}

/** What the routes of a message depend on, besides the numbers. */
export interface RoutedMessage {
  accountId: number
  /** Null for an account of its own. */
  parentId: number | null
  category: Category
  /** The sender of the SMS, or of the fallback; undefined: the carrier's. */
  sender: string | undefined
  /** The agent that an RCS names. */
  agentId?: string | undefined
}

/** The routes of the recipients of one message. */
export interface MessageRoutes {
  /** The route of a number; undefined when no route leads to it. */
  routeOf(channel: Channel, e164: string): string | undefined
  /** The opt-out mention of the first carrier on the route of this number. */
  stopMention(e164: string): string
  /** The sender when neither the message nor its account names one. */
  defaultSender(e164: string): string
  /** The sender of an RCS to this number. */
  agentOf(e164: string): string
  /** Whether RCS leads to the number, and the account may use no agent for it. */
  lacksAgent(e164: string): boolean
}
