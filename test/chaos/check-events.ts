import type { Check } from './check-delivery.ts'
import type { EventReceiver } from './event-receiver.ts'
import type { EventSeen, RecipientSeen, Seen } from './extracts.ts'

/** Whether every change of state reached the receiver, and repeats can be told by their id. */
export function checkEvents({ events: received }: EventReceiver, seen: readonly Seen[]): Check[] {
  const untold: string[] = []
  const wrongEnd: string[] = []
  const disordered: string[] = []
  for (const { customer, events, recipients, messages } of seen) {
    for (const { id, type } of events) {
      if (!received.get(id)?.isTaken) untold.push(`${customer.name}: ${type} ${id}`)
    }
    const inSequence = events.toSorted((one, other) => one.id - other.id)
    const ofRecipient = Map.groupBy(inSequence.filter(isOf('sms_status')), ({ data }) => data.id as number)
    for (const recipient of [...recipients.values()].flat()) {
      const told = ofRecipient.get(recipient.id) ?? []
      const last = told.at(-1)
      if (last?.data.deliver !== recipient.deliver) {
        wrongEnd.push(
          `${customer.name}: ${recipient.recipient} is ${recipient.deliver}, and told as ${last?.data.deliver}`
        )
      }
      if (!isInOrder(told, recipient)) {
        disordered.push(`${recipient.recipient}: ${told.map(({ id, data }) => `${id}=${data.deliver}`).join(' ')}`)
      }
    }
    const ofMessage = Map.groupBy(inSequence.filter(isOf('message_state')), ({ data }) => data.id as number)
    for (const { id, state } of messages) {
      const last = ofMessage.get(id)?.at(-1)
      if (last?.data.state !== state)
        wrongEnd.push(`${customer.name}: message ${id} is ${state}, told as ${last?.data.state}`)
    }
  }
  const known = new Set(seen.flatMap(({ events }) => events.map(({ id }) => id)))
  const unknown = [...received.keys()].filter((sequence) => !known.has(sequence))
  const renamed = [...received.values()].filter(({ webhookIds }) => webhookIds.size > 1)
  return [
    { promise: 'every event reached the receiver', problems: untold },
    { promise: 'the last that was told of each recipient and message is how it ended', problems: wrongEnd },
    {
      promise: 'by their sequence, the events of a recipient are its moves, each told as one event',
      problems: disordered
    },
    { promise: 'the receiver was told nothing that did not happen', problems: unknown.map(String) },
    {
      promise: 'whatever was told again had the same webhook-id',
      problems: renamed.map(({ sequence, webhookIds }) => `${sequence}: ${[...webhookIds].join(', ')}`)
    }
  ]
}

function isOf(type: string): (event: EventSeen) => boolean {
  return (event) => event.type === type
}

const SENT = 2

/** By their sequence: at most one step to `sent`, then the end. */
function isInOrder(told: readonly EventSeen[], { deliver }: RecipientSeen): boolean {
  const before = told.slice(0, -1)
  return (
    before.length <= 1 && told.at(-1)?.data.deliver === deliver && before.every(({ data }) => data.deliver === SENT)
  )
}
