import { invalidInput, problemFor } from '../errors.ts'
import { type FittedText, fitText } from '../gsm/typography.ts'
import { checkRcsContent } from '../rcs/check-rcs-content.ts'
import { toValuesText } from '../recipients/rcs-recipient.ts'
import { isOwnName, isSameForAll, render, SHORT_LINK, STOP_MENTION } from './content.ts'
import type { Candidate } from './plan.ts'
import { rcsPrice, segmentPrice } from './prices.ts'
import type { Routing } from './routing.ts'
import type { RcsSend, Send, SmsSend } from './send.ts'

/*
 * What each recipient of a message gets, and what it costs. An SMS is rendered, and stored unless it is the message's own
 * text. Of an RCS only the values of its variables are stored; it is made once here, to see that it keeps to the limits.
 */

/** The text as an SMS, counted; of an RCS its fallback, empty if there is none. */
export interface Words extends FittedText {
  /** What is stored for the recipient; null if there is nothing of their own. */
  content: string | null
}

/** The words for one candidate, with the tracked link that stands in them. */
export type ToWords = (candidate: Candidate, shortLink: string) => Words

export function createWords(send: Send, routing: Routing): ToWords {
  return send.channel === 'sms' ? createSmsWords(send, routing) : createRcsWords(send, routing)
}

/** A text that is the same for all is counted once. */
function createSmsWords({ content, link }: SmsSend, routing: Routing): ToWords {
  const known = new Map<string, Words>()
  const isSame = isSameForAll(content) && link?.mode !== 'unique'
  let ownMention: string | undefined
  return ({ phone, values }, shortLink) => {
    const stopMention = routing.stopMention(phone)
    ownMention ??= stopMention
    const before = isSame ? known.get(stopMention) : undefined
    if (before) return before
    const sent = fitText(render(content, values, { stopMention, shortLink }), content)
    const words = { ...sent, content: isSame && stopMention === ownMention ? null : sent.text }
    if (isSame) known.set(stopMention, words)
    return words
  }
}

function createRcsWords({ parsed, shownVariables, message, country }: RcsSend, routing: Routing): ToWords {
  const { type, hasPlainTypography } = message
  const mentionAt = parsed.variables.indexOf(STOP_MENTION)
  const linkAt = parsed.variables.indexOf(SHORT_LINK)
  // What we fill in ourselves is of one length but for the mention: with each mention one look is enough.
  const isPersonal = !shownVariables.every(isOwnName)
  const seenWith = new Set<string>()
  let last: Words | undefined

  function refuseBroken(values: readonly string[], { number, phone }: Candidate): void {
    if (shownVariables.length === 0) return
    if (!isPersonal) {
      const mention = routing.stopMention(phone)
      if (seenWith.has(mention)) return
      seenWith.add(mention)
    }
    const { data } = parsed.fill(values)
    const checked = checkRcsContent({ type, data }, { country, isFilled: true })
    if (!('problems' in checked)) return
    throw invalidInput(checked.problems.map(({ path, message }) => ({ path, message: problemFor(message, number) })))
  }

  return (candidate, shortLink) => {
    const values = parsed.variables.map((_, index) => {
      if (index === mentionAt) return routing.stopMention(candidate.phone)
      return index === linkAt ? shortLink : (candidate.values[index] ?? '')
    })
    const content = toValuesText(values)
    // Most messages say the same to everybody, or nearly: what was just looked at need not be looked at again.
    if (last?.content === content) return last
    refuseBroken(values, candidate)
    const fallback = parsed.fillFallback(values)
    if (fallback?.trim() === '') throw emptyFallback(candidate)
    last = { ...fitText(fallback ?? '', { typography: hasPlainTypography }), content }
    return last
  }
}

function emptyFallback({ number }: Candidate) {
  return invalidInput([{ path: 'fallback.content', message: `must not be empty for ${number}` }])
}

export type ToPrice = (words: Words, phone: string) => { segments: number; credits: number }

/** What a recipient's words count for now: a fallback is neither counted nor charged before it happens. */
export function createPrice(send: Send): ToPrice {
  if (send.channel === 'sms') {
    return ({ segments }, phone) => ({ segments, credits: segments * segmentPrice(phone) })
  }
  const credits = rcsPrice(send.message.type)
  return () => ({ segments: 0, credits })
}
