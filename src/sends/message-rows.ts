import type { NewSendEntry } from '../audit/entries.store.ts'
import type { NewCallback } from '../callbacks/callbacks.store.ts'
import { LANES } from '../messages/message.ts'
import type { NewMessageForm } from '../messages/message-forms.store.ts'
import type { NewMessage } from '../messages/new-messages.store.ts'
import { expiryIn } from '../messages/options.ts'
import type { NewRcsMessage } from '../messages/rcs-messages.store.ts'
import { headStartOf, type NewBatch } from '../queue/batch.ts'
import type { NewExpiry } from '../queue/expiries.store.ts'
import { describeRcs } from '../rcs/describe-rcs.ts'
import type { RcsContent } from '../rcs/rcs-content.ts'
import type { NewLink } from '../short-links/short-links.store.ts'
import { type Content, withOwnValues } from './content.ts'
import type { Deadline } from './deadlines.store.ts'
import type { Plan, PlannedRecipient } from './plan.ts'
import type { RcsSend, Send } from './send.ts'

/* The rows of a planned message in all tables except `recipients`. */

export function toMessage(send: Send, plan: Plan, id: number): NewMessage {
  const batches = plan.batches()
  const scheduledAt = new Date(
    batches.reduce((first, { dueAt }) => Math.min(first, dueAt.getTime()), Number.POSITIVE_INFINITY)
  )
  return {
    accountId: send.accountId,
    id,
    channel: send.channel,
    category: send.category,
    state: scheduledAt.getTime() > send.now.getTime() ? 'scheduled' : 'sending',
    content: withOwnValues(send.channel === 'sms' ? send.content : shownBy(send), {
      stopMention: plan.routes.stopMention(plan.firstPhone),
      shortLink: plan.commonLink?.text
    }),
    sender: senderOf(send, plan),
    externalId: send.externalId ?? null,
    scheduledAt,
    recipientsCount: plan.totals.recipients,
    segmentsCount: plan.totals.segments,
    creditsRequired: plan.totals.credits,
    shorturlMode: send.link?.mode ?? null,
    shorturlUrl: send.link?.url ?? null,
    resendOf: (send.channel === 'sms' && send.resendOf) || null,
    options: plan.hasCarrierSenders ? { ...send.options, hasCarrierSenders: true } : (send.options ?? null),
    name: send.name ?? null,
    tags: send.tags ?? null,
    replaces: send.replacing?.id ?? null,
    trace: send.trace ?? null
  }
}

/** The text of a card, which stays as written: it is not sent as SMS. */
function shownBy({ message: { type, data } }: RcsSend): Pick<Content, 'text' | 'typography'> {
  return { text: describeRcs({ type, data } as RcsContent), typography: false }
}

export function senderOf(send: Send, { firstPhone, routes }: Plan): string {
  if (send.channel === 'rcs') return routes.agentOf(firstPhone)
  return send.sender?.name ?? routes.defaultSender(firstPhone)
}

/** Its entry in the audit trail. */
export function toSendEntries({ author, accountId }: Send, messageId: number): NewSendEntry[] {
  return author ? [{ author, accountId, messageId }] : []
}

/** The address that it asks to be called. */
export function toCallbacks({ callback, accountId }: Send, messageId: number): NewCallback[] {
  return callback ? [{ ...callback, accountId, messageId }] : []
}

export function toRcsMessages(send: Send, { prices }: Pick<Plan, 'prices'>, messageId: number): NewRcsMessage[] {
  if (send.channel !== 'rcs') return []
  return [{ ...send.message, accountId: send.accountId, messageId, ...prices.versions }]
}

/** The fields of a campaign: a message with a name, that is due later, or of more recipients than share a transaction. */
export function toForms(send: Send, messageId: number, { isMany }: { isMany: boolean }): NewMessageForm[] {
  const { accountId, form, name, now, departsAt } = send
  const isCampaign = isMany || name !== undefined || departsAt.getTime() > now.getTime()
  return form && isCampaign ? [{ ...form(), accountId, messageId }] : []
}

/** When its validity ends, if it has one. */
export function toExpiries({ accountId, options }: Send, messageId: number): NewExpiry[] {
  const dueAt = expiryIn(options)
  return dueAt ? [{ accountId, messageId, dueAt }] : []
}

/** By when it should have left, if somebody said so. */
export function toDeadlines({ accountId, options }: Send, messageId: number): Deadline[] {
  const deadline = options?.deadline
  return deadline === undefined ? [] : [{ accountId, messageId, deadline: new Date(deadline) }]
}

/** The link that all recipients share, if there is one. */
export function toCommonLinks(
  { accountId, departsAt: dueAt }: Send,
  { commonLink }: Plan,
  messageId: number
): NewLink[] {
  return commonLink ? [{ accountId, messageId, position: null, code: commonLink.code, url: commonLink.url, dueAt }] : []
}

/** The links of recipients that have their own, tracked or to opt out. */
export function toLinks(
  { accountId, link, stopLinkUrl, departsAt: dueAt }: Send,
  recipients: readonly PlannedRecipient[],
  messageId: number
): NewLink[] {
  if (link?.mode !== 'unique' && stopLinkUrl === undefined) return []
  return recipients.flatMap(({ position, link, stopLink }) =>
    [link, stopLink].flatMap((made) =>
      made ? [{ accountId, messageId, position, code: made.code, url: made.url, dueAt }] : []
    )
  )
}

export function toBatches(send: Send, plan: Plan, messageId: number): NewBatch[] {
  const headStartSeconds = headStartOf(send.options, { recipientsCount: plan.totals.recipients })
  return plan.batches().map((batch) => ({
    ...batch,
    accountId: send.accountId,
    messageId,
    lane: LANES[send.category],
    dueAt: batch.dueAt.getTime() > send.now.getTime() ? batch.dueAt : null,
    headStartSeconds
  }))
}
