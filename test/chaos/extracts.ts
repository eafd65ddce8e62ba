import type { Customer } from './customers.ts'

/* What a customer can know from outside: everything that the API tells, read to its end. */

export interface MessageSeen {
  id: number
  external_id: string | null
  state: string
  recipients_count: number
  credits_required: number
  credits_refunded: number
  summary: Record<string, number>
}

export interface RecipientSeen {
  id: number
  recipient: string
  deliver: number
  errorcode: string
}

export interface EventSeen {
  id: number
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: the records of all types.
  data: any
}

export interface Seen {
  customer: Customer
  messages: MessageSeen[]
  /** By external_id. */
  recipients: Map<string, RecipientSeen[]>
  balance: number
  events: EventSeen[]
  replies: { recipient: string; content: string }[]
  stops: { recipient: string }[]
}

const PAGE = 1000
const AT_ONCE = 8

export async function readEverything(customer: Customer): Promise<Seen> {
  const messages = await readPages<MessageSeen>(customer, '/messages')
  const recipients = new Map<string, RecipientSeen[]>()
  const left = messages.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const { id, external_id: externalId, recipients_count: count } of left) {
        const path = `/messages/${id}/recipients/sms`
        const items = count > 1 ? await customer.ask('GET', `${path}/extract`) : (await customer.ask('GET', path)).items
        recipients.set(externalId ?? `message ${id}`, items)
      }
    })
  )
  const credits: { msgType: number; credits: number }[] = await customer.ask('GET', '/users/credits')
  return {
    customer,
    messages,
    recipients,
    balance: credits.find(({ msgType }) => msgType === 1)?.credits ?? 0,
    events: await readFeed(customer),
    replies: await customer.ask('GET', '/messages/replies/extract'),
    stops: await readPages(customer, '/stops/all')
  }
}

async function readPages<T>(customer: Customer, path: string): Promise<T[]> {
  const items: T[] = []
  for (let page = 1; ; page++) {
    const answer = await customer.ask('GET', `${path}?limit=${PAGE}&page=${page}`)
    items.push(...answer.items)
    if (page >= answer.meta.totalPages) return items
  }
}

async function readFeed(customer: Customer): Promise<EventSeen[]> {
  const events: EventSeen[] = []
  for (let after = ''; ; ) {
    const { items, next } = await customer.ask('GET', `/events?limit=${PAGE}${after && `&after=${after}`}`)
    if (items.length === 0) return events
    events.push(...items)
    after = next
  }
}
