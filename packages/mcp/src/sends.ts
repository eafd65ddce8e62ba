import type { Client, Schemas } from '@chappe/client'
import * as z from 'zod'

/* A send as an assistant writes it. */

export const sendShape = {
  channel: z.enum(['sms', 'rcs']).default('sms'),
  recipients: z.array(z.string().max(255)).min(1).max(1_000).optional().describe('Phone numbers.'),
  contactlist: z
    .array(z.number().int().positive())
    .min(1)
    .max(100)
    .optional()
    .describe('Ids of contact lists, instead of recipients.'),
  content: z.string().min(1).max(5_000).optional().describe('The text of an SMS; `#prenom#` and so on are variables.'),
  model_id: z.number().int().positive().optional().describe('A template, instead of a content of its own.'),
  type: z.enum(['text', 'card', 'carousel']).optional().describe('Only RCS: what `data` is.'),
  data: z.record(z.string(), z.unknown()).optional().describe('Only RCS: its content, such as {"text": "Bonjour"}.'),
  fallback: z
    .object({ content: z.string(), sender: z.string().optional() })
    .optional()
    .describe('Only RCS: the SMS for phones that RCS does not reach.'),
  sender: z.string().max(64).optional().describe('Who an SMS comes from, such as BOUTIQUE.'),
  scheduleAt: z.string().max(64).optional().describe('When, in ISO 8601; now without it.'),
  category: z.enum(['transactional', 'marketing']).optional(),
  external_id: z.string().min(1).max(128).optional()
}

export type SendInput = z.infer<z.ZodObject<typeof sendShape>>

type Route = 'POST /messages/sms' | 'POST /messages/sms/contactlist' | 'POST /messages/rcs'

/** The operation of a send, and its body. The service checks the rest. */
export function toRequest({ channel, recipients, ...fields }: SendInput): { route: Route; body: object } {
  if (channel === 'rcs') {
    const contacts = recipients?.map((recipient) => ({ recipient }))
    return { route: 'POST /messages/rcs', body: { ...(contacts && { contacts }), ...fields } }
  }
  if (recipients === undefined) return { route: 'POST /messages/sms/contactlist', body: fields }
  return { route: 'POST /messages/sms', body: { recipients, ...fields } }
}

export function post(
  client: Client,
  send: SendInput,
  query: { resumeBefore?: boolean; confirmation?: string },
  signal: AbortSignal
): Promise<Schemas['SmsResume'] | Schemas['SmsStatus']> {
  const { route, body } = toRequest(send)
  // The compiler can't see that all these routes take the same.
  const input = { body: body as Schemas['MessagesSimpleDto'], query }
  return client.call(route as 'POST /messages/sms', input, { signal })
}
