import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import type { Database } from '../database/database.ts'
import { lockUnclickedCounts, updateClickedCounts } from '../messages/totals.store.ts'
import { listUnclicked, type RecipientClick, updateClicked } from '../recipients/clicks.store.ts'
import { compareKeys } from '../recipients/move.ts'
import type { FoundLink } from '../short-links/short-links.store.ts'
import { listSubscribers, recordEvents } from '../webhooks/events.store.ts'
import type { ClickView } from './click.ts'
import { insertVisitors } from './clicks.store.ts'
import { type Opening, ROBOT_SIGNS, SOON_MS, signsOf } from './judge-click.ts'
import type { Openings } from './openings.ts'

/** An opening of a link. */
export interface Click extends Opening {
  link: FoundLink
  /** The visitor of a shared link: address and user agent. */
  visitor: string
  /** Set after the wait for more signs: now the click is decided. */
  isLate: boolean
}

export interface Recorded {
  /** People who had not clicked before. */
  people: number
  robots: number
  /** To be decided later, with more signs. */
  unclear: Click[]
}

/**
 * Counts clicks, of any accounts. One transaction writes a person's first click to the recipient, adds it to the message and
 * records the event. A second click, in this process or another, finds it written.
 */
export async function recordClicks(
  database: Database,
  clicks: readonly Click[],
  openings: Openings
): Promise<Recorded> {
  const recorded: Recorded = { people: 0, robots: 0, unclear: [] }
  const accountIds = [...new Set(clicks.map(({ link }) => link.accountId))]
  const subscribers = await listSubscribers(database, { type: 'clicks', accountIds })
  const judged = clicks.map((click) => ({ click, signs: signsOf(click, openings) }))
  const people = judged.filter(({ signs }) => signs < ROBOT_SIGNS)
  recorded.robots = clicks.length - people.length
  const ofRecipients = await countRecipients(database, people.filter(hasRecipient), recorded)
  const visits = listVisits(people.filter((judged) => !hasRecipient(judged)))
  // All messages at once, after the recipients, in the order of locks. A single message is locked by its update.
  const messages = uniqueMessages([...ofRecipients.map(({ click }) => click), ...visits.values()])
  const rooms = visits.size > 0 || messages.length > 1 ? await lockUnclickedCounts(database, messages) : []
  const counted = [...ofRecipients, ...(await countVisitors(database, visits, rooms))]
  await addToMessages(database, counted)
  await tell(
    database,
    counted.filter(({ click }) => subscribers.has(click.link.accountId))
  )
  return { ...recorded, people: counted.length }
}

/** An opening with its number of signs of a robot. */
interface JudgedClick {
  click: Click
  signs: number
}

type PersonalClick = JudgedClick & { click: { link: { position: number } } }

function hasRecipient(judged: JudgedClick): judged is PersonalClick {
  return judged.click.link.position !== null
}

/** A click that counts, and its recipient. */
interface CountedClick {
  click: Click
  phone: string
}

/** Clicks on links that were made for one recipient each. */
async function countRecipients(
  database: Database,
  clicks: readonly PersonalClick[],
  recorded: Recorded
): Promise<CountedClick[]> {
  if (clicks.length === 0) return []
  const chosen = mostPersonal(clicks).map(toRecipientClick).toSorted(compareKeys)
  const written = await updateClicked(database, chosen, { soonMs: SOON_MS })
  if (written.length < chosen.length) {
    const isWritten = new Set(written.map(({ index }) => index))
    const rest = chosen.filter((_, index) => !isWritten.has(index))
    for (const index of await listUnclicked(database, rest)) {
      // The click came too soon after the message.
      const { click, signs } = rest[index] as ChosenClick
      if (signs > 0) recorded.robots++
      else recorded.unclear.push(click)
    }
  }
  return written.map(({ index, phone }) => ({ click: (chosen[index] as ChosenClick).click, phone }))
}

/** One opening per link: the one with the fewest signs of a robot, and of these the first. */
function mostPersonal(clicks: readonly PersonalClick[]): PersonalClick[] {
  const chosen = new Map<string, PersonalClick>()
  for (const judged of clicks) {
    const { code } = judged.click.link
    const before = chosen.get(code)
    if (!before || weightOf(judged) < weightOf(before)) chosen.set(code, judged)
  }
  return [...chosen.values()]
}

/** A click that has waited, and still has no sign of a robot, counts however soon it came. */
function weightOf({ click, signs }: JudgedClick): number {
  return 2 * signs - Number(click.isLate)
}

type ChosenClick = RecipientClick & JudgedClick

function toRecipientClick({ click, signs }: PersonalClick): ChosenClick {
  const { accountId, messageId, position } = click.link
  return { accountId, messageId, position, at: click.at, countsSoon: click.isLate && signs === 0, click, signs }
}

/** The visitors of shared links. */
function listVisits(judged: readonly JudgedClick[]): Map<string, Click> {
  const visits = new Map<string, Click>()
  for (const { click } of judged) {
    const visitor = visitorOf(click)
    if (!visits.has(visitor)) visits.set(visitor, click)
  }
  return visits
}

/** Each visitor counts once, and never more visitors than recipients. The caller has locked the messages. */
async function countVisitors(
  database: Database,
  visits: ReadonlyMap<string, Click>,
  rooms: readonly { messageId: number; unclickedCount: number }[]
): Promise<CountedClick[]> {
  const room = new Map(rooms.map(({ messageId, unclickedCount }) => [messageId, unclickedCount]))
  // Once all have clicked, visitors are no longer stored: a robot with many addresses could fill the table.
  const welcome = [...visits].filter(([, { link }]) => (room.get(link.messageId) ?? 0) > 0)
  if (welcome.length === 0) return []
  const fresh = await insertVisitors(
    database,
    welcome.map(([visitor, { link }]) => ({ accountId: link.accountId, messageId: link.messageId, visitor }))
  )
  return fresh.flatMap(({ messageId, visitor }) => {
    const left = room.get(messageId) ?? 0
    const click = visits.get(visitor)
    if (left === 0 || !click) return []
    room.set(messageId, left - 1)
    return { click, phone: '' }
  })
}

async function addToMessages(database: Database, counted: readonly CountedClick[]): Promise<void> {
  if (counted.length === 0) return
  const byMessage = Map.groupBy(counted, ({ click }) => click.link.messageId)
  await updateClickedCounts(
    database,
    uniqueMessages(counted.map(({ click }) => click)).map((key) => ({
      ...key,
      clicked: byMessage.get(key.messageId)?.length ?? 0
    }))
  )
}

async function tell(database: Database, counted: readonly CountedClick[]): Promise<void> {
  await recordEvents(
    database,
    counted.map(({ click: { link, at }, phone }) => ({
      accountId: link.accountId,
      type: 'clicks',
      record: {
        message_id: link.messageId,
        recipient: phone,
        url: link.url,
        timestamp: new Date(at).toISOString()
      } satisfies Static<typeof ClickView>
    }))
  )
}

const VISITOR_BYTES = 16

/** Without the link's key, the hash reveals neither the address nor visits of the same person to another link. */
function visitorOf({ link, visitor }: Click): string {
  // One hash takes a quarter of the time of an HMAC. An HMAC prevents length extension; here the truncation does.
  return hash('sha256', `${link.visitorKey?.toString('hex')} ${visitor}`).slice(0, 2 * VISITOR_BYTES)
}

function uniqueMessages(clicks: readonly Click[]): { accountId: number; messageId: number }[] {
  return [
    ...new Map(
      clicks.map(({ link: { accountId, messageId } }) => [messageId, { accountId, messageId }] as const)
    ).values()
  ]
}
