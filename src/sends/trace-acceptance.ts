import { Refusal } from '../errors.ts'
import { currentRequest, startSpan } from '../traces/tracer.ts'
import type { Accepted } from './accepted.ts'
import type { Send } from './send.ts'

/**
 * The span of accepting a message. Its context is stored with the message: what happens to the message later, in any process,
 * is a span below it. Without traces it does nothing.
 */
export async function traceAcceptance(send: Send, work: (send: Send) => Promise<Accepted>): Promise<Accepted> {
  const request = currentRequest()
  const { accountId, channel, category } = send
  const span = startSpan('accept message', {
    kind: 'producer',
    parent: request?.span.context,
    attributes: { 'chappe.account.id': accountId, 'chappe.channel': channel, 'chappe.category': category }
  })
  if (!span) return work(send)
  // An unsampled trace of our own is of no use to anybody. That of a caller is passed on to its webhooks.
  const isKept = span.isSampled || request?.isContinued === true
  try {
    const accepted = await work(isKept ? { ...send, trace: span.context } : send)
    const { message_id: id, recipients_count: recipients } = accepted
    span.end({ 'chappe.message.id': id, 'chappe.recipients': recipients })
    return accepted
  } catch (error) {
    span.fail(error instanceof Refusal ? error.code : 'The message could not be stored.')
    throw error
  }
}
