import Type from 'typebox'
import { invalidInput, notFound, Refusal } from '../../errors.ts'
import { callback, PlainText, RawBody } from '../../http/callback.ts'
import { parseForm } from '../../http/form.ts'
import type { Operation } from '../../http/operation.ts'
import type { CallbackContext } from '../kind.ts'
import type { NewsKind, Proof } from './http-settings.ts'
import { handInNews } from './news.ts'
import { isSigned, mayBeProved } from './proofs.ts'
import type { HttpCarrierSettings } from './read-http.ts'
import { parseExactJson } from './value-paths.ts'

/** Whatever the provider posts: its form is in the carriers file. */
const PostedBody = Type.Unknown({ description: 'JSON or a form, as the carriers file describes it.' })

const WORDS: Record<NewsKind, { id: string; summary: string; what: string; example: object }> = {
  receipts: {
    id: 'receiveHttpReceipts',
    summary: 'Receipts of an HTTP carrier',
    what: 'delivery receipts',
    example: { MessageSid: 'SM00000000000000000000000000000001', MessageStatus: 'delivered' }
  },
  replies: {
    id: 'receiveHttpReplies',
    summary: 'Replies of an HTTP carrier',
    what: 'messages that people write',
    example: { MessageSid: 'SM00000000000000000000000000000002', From: '+33612345678', To: '+33937123456', Body: 'Oui' }
  }
}

/** The operations that providers call: one for receipts, one for replies. */
export function receiveHttpNews(context: CallbackContext<HttpCarrierSettings>): Operation[] {
  return [receive('receipts', context), receive('replies', context)]
}

function receive(news: NewsKind, { carriers, inbound, metrics, log }: CallbackContext<HttpCarrierSettings>): Operation {
  const { id, summary, what, example } = WORDS[news]
  return callback({
    route: `POST /carriers/http/{name}/${news}`,
    id,
    tag: 'Beyond',
    summary,
    description: `Where the provider of the HTTP carrier of this name posts ${what}, one or several at a time. They are stored before the post is answered; the same ones again change nothing. A provider that proves itself by its address adds \`?key=\` and the secret.`,
    headers: {
      Authorization: 'Basic credentials, where the carriers file asks for them. It may ask for another header.'
    },
    challenge: 'Basic realm="chappe"',
    plainText: 'The answer that the carriers file gives, if it gives one.',
    body: PostedBody,
    isRaw: true,
    answer: Type.Object({ success: Type.Boolean() }),
    example: { body: example, answer: { success: true } },
    refusals: {
      unauthorized: 'The proof that the carriers file asks for is missing or wrong.',
      not_found: `There is no HTTP carrier of this name whose provider posts ${news}.`
    },
    admit({ params, headers, query }) {
      const { settings, proof } = find(params.name)
      if (!mayBeProved(settings, proof, { headers, query })) throw unproved()
      return settings
    },
    async handle({ admitted: settings, body, headers }) {
      const raw = body instanceof RawBody ? body : new RawBody('', 'json')
      if (!isSigned(settings, news, { headers, body: raw })) throw unproved()
      const { taken, unreadable } = await handInNews(news, settings, parse(raw), inbound)
      if (taken > 0) metrics[news](settings.name, taken)
      if (unreadable > 0) log.warn({ carrier: settings.name, news, unreadable }, 'posted items could not be read')
      const { answer } = settings[news] ?? {}
      return answer ? new PlainText(answer.text, answer.type) : { success: true }
    }
  })

  function find(name: string): { settings: HttpCarrierSettings; proof: Proof } {
    const settings = carriers().find((carrier) => carrier.name === name)
    const proof = settings?.[news]?.proof
    if (!settings || !proof) throw notFound('HTTP carrier')
    return { settings, proof }
  }
}

function parse({ text, form }: RawBody): unknown {
  if (form === 'form') return parseForm(text)
  try {
    return parseExactJson(text)
  } catch {
    throw invalidInput([{ path: '', message: 'is not valid JSON' }])
  }
}

function unproved(): Refusal {
  return new Refusal(401, 'unauthorized', 'The proof of this post is missing or wrong.')
}
