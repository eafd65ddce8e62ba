import type { Cluster } from './cluster.ts'
import type { Seen } from './extracts.ts'
import type { Load } from './load.ts'

/** A promise, and where it was broken. */
export interface Check {
  promise: string
  problems: string[]
}

const FINAL = new Set([1, 3, 4, 5, 6, 7])
const DELIVERED = 1
const FAILED = 3
const STOPPED = 7

export function digits(phone: string): string {
  return phone.replace(/\D/g, '')
}

/** What was acknowledged is there once, with those who were given, each in one final state. */
export function checkAcknowledged(seen: readonly Seen[]): Check {
  const problems: string[] = []
  for (const { customer, messages, recipients } of seen) {
    const given = new Map(customer.acknowledged.map(({ externalId, phones }) => [externalId, phones]))
    for (const [externalId, phones] of given) {
      const found = messages.filter((message) => message.external_id === externalId)
      if (found.length !== 1) problems.push(`${customer.name}: ${externalId} is there ${found.length} times`)
      const people = recipients.get(externalId) ?? []
      const names = new Set(people.map(({ recipient }) => recipient))
      const missing = phones.filter((phone) => !names.has(phone))
      if (missing.length > 0 || people.length !== names.size) {
        problems.push(
          `${customer.name}: ${externalId} lacks ${missing.length} of ${phones.length}, has ${people.length}`
        )
      }
      for (const { recipient, deliver } of people) {
        if (!FINAL.has(deliver)) problems.push(`${customer.name}: ${externalId} to ${recipient} is still ${deliver}`)
      }
    }
    for (const { external_id: externalId, id, state, summary, recipients_count: count } of messages) {
      if (!given.has(externalId ?? '')) problems.push(`${customer.name}: nobody was told of message ${id}`)
      const sum = Object.values(summary).reduce((total, part) => total + part, 0)
      if (sum !== count || summary.waiting !== 0 || !['sent', 'failed'].includes(state)) {
        problems.push(`${customer.name}: message ${id} is ${state}: ${JSON.stringify(summary)} of ${count}`)
      }
    }
  }
  return { promise: 'every acknowledged recipient is there once, in one final state', problems }
}

/** How often a number got the segment that it got most often. */
export function timesTaken({ smsc }: Pick<Cluster, 'smsc'>, phone: string): number {
  return Math.max(0, ...(smsc.accepted.get(digits(phone))?.segments.values() ?? []))
}

/** The carrier saw each at least once, and with `fail` at most once. */
export function checkTaken(cluster: Cluster, seen: readonly Seen[], load: Load): Check[] {
  const missing: string[] = []
  const twice: string[] = []
  for (const { customer, recipients } of seen) {
    for (const { recipient, deliver, errorcode } of [...recipients.values()].flat()) {
      const times = timesTaken(cluster, recipient)
      // Who said STOP while being in doubt is not written to again. With `fail`, what is in doubt may never have arrived.
      const isExcused = deliver === STOPPED ? load.replies.has(digits(recipient)) : errorcode === 'in_doubt'
      const isLost = times === 0 && !isExcused
      if (isLost) missing.push(`${customer.name}: ${recipient}, which is ${deliver} ${errorcode}`)
      if (customer.policy === 'fail' && times > 1) twice.push(`${customer.name}: ${recipient}, ${times} times`)
      if (customer.policy === 'resend' && errorcode === 'in_doubt') missing.push(`${recipient} was given up`)
    }
  }
  return [
    { promise: 'the carrier saw every acknowledged recipient at least once', problems: missing },
    { promise: 'with the setting fail, the carrier saw nobody twice', problems: twice }
  ]
}

/** Every phone of these takes what it gets: so all are delivered, but for those of whom nobody knows, and who said STOP. */
export function checkEnds(seen: readonly Seen[], load: Load): Check {
  const problems = seen.flatMap(({ customer, recipients }) =>
    [...recipients.values()].flat().flatMap(({ recipient, deliver, errorcode }) => {
      const isGivenUp = deliver === FAILED && errorcode === 'in_doubt' && customer.policy === 'fail'
      const isStopped = deliver === STOPPED && load.replies.get(digits(recipient))?.content === 'STOP'
      return deliver === DELIVERED || isGivenUp || isStopped
        ? []
        : [`${customer.name}: ${recipient} ended as ${deliver}`]
    })
  )
  return { promise: 'all are delivered but those in doubt, with the setting fail, and those who said STOP', problems }
}

export function checkCredits(seen: readonly Seen[]): Check {
  const problems = seen.flatMap(({ customer, messages, balance }) => {
    const used = messages.reduce((sum, { credits_required: required }) => sum + required, 0)
    const refunded = messages.reduce((sum, message) => sum + message.credits_refunded, 0)
    const expected = customer.credits - used + refunded
    return balance === expected
      ? []
      : [`${customer.name}: ${balance} instead of ${customer.credits} − ${used} + ${refunded}`]
  })
  return { promise: 'the balance is the opening credits, less those used, plus those that came back', problems }
}

/** Each phone that answered is heard, by the customer who had written to it; each STOP is an opt-out there. */
export function checkReplies(seen: readonly Seen[], load: Load): Check {
  const problems: string[] = []
  for (const { customer, replies, stops } of seen) {
    const heard = new Set(replies.map(({ recipient, content }) => `${digits(recipient)} ${content}`))
    const stopped = new Set(stops.map(({ recipient }) => digits(recipient)))
    for (const [phone, { content, customer: name }] of load.replies) {
      if (name !== customer.name) continue
      if (!heard.has(`${phone} ${content}`)) problems.push(`${name}: “${content}” of ${phone} is nowhere`)
      if (content === 'STOP' && !stopped.has(phone)) problems.push(`${name}: ${phone} said STOP and is not opted out`)
    }
    if (stops.length !== stopped.size) problems.push(`${customer.name}: a number is opted out twice`)
  }
  return { promise: 'every reply is with the customer it answers, and every STOP is an opt-out', problems }
}
