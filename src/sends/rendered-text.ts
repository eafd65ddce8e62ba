import { invalidInput, problemFor } from '../errors.ts'
import { type FittedText, fitText } from '../gsm/typography.ts'
import { checkRcsContent } from '../rcs/check-rcs-content.ts'
import { toValuesText } from '../recipients/rcs-recipient.ts'
import { isOwnName, isSameForAll, render, SHORT_LINK, STOP_LINK, STOP_MENTION } from './content.ts'
import type { Candidate } from './plan.ts'
import { rcsPrice, segmentPrice } from './prices.ts'
import type { MessageRoutes } from './routing.ts'
import type { RcsSend, Send, SmsSend } from './send.ts'

/*
 * The text and the price of each recipient. An SMS is rendered, and stored unless it is the message's own text. Of an
 * RCS only the values of its variables are stored; it is rendered once here, to check its limits.
 */

/** The text as an SMS, with its segments counted. For an RCS, the text of its fallback; empty without a fallback. */
export interface RenderedText extends FittedText {
  /** The stored content of the recipient; null without a text, or values, of its own. */
  content: string | null
}

/** Renders the text of one candidate, with its tracked link and its opt-out link. */
export type RenderText = (candidate: Candidate, links: { shortLink: string; stopLink: string }) => RenderedText

export function createRenderText(send: Send, routes: MessageRoutes): RenderText {
  if (send.options?.binary) return () => NO_TEXT
  return send.channel === 'sms' ? createRenderSms(send, routes) : createRenderRcs(send, routes)
}

/** Of binary data, which is one segment. */
const NO_TEXT: RenderedText = { text: '', encoding: 'gsm', units: 0, segments: 1, forcing: '', content: null }

/** A text that is the same for all recipients is counted once. */
function createRenderSms({ content, link }: SmsSend, routes: MessageRoutes): RenderText {
  const known = new Map<string, RenderedText>()
  const isSame = isSameForAll(content) && link?.mode !== 'unique'
  let ownMention: string | undefined
  return ({ phone, values }, links) => {
    const stopMention = routes.stopMention(phone)
    ownMention ??= stopMention
    const before = isSame ? known.get(stopMention) : undefined
    if (before) return before
    const sent = fitText(render(content, values, { stopMention, ...links }), content)
    const rendered = { ...sent, content: isSame && stopMention === ownMention ? null : sent.text }
    if (isSame) known.set(stopMention, rendered)
    return rendered
  }
}

function createRenderRcs({ parsed, shownVariables, message, country }: RcsSend, routes: MessageRoutes): RenderText {
  const { type, hasPlainTypography } = message
  const mentionAt = parsed.variables.indexOf(STOP_MENTION)
  const linkAt = parsed.variables.indexOf(SHORT_LINK)
  const stopLinkAt = parsed.variables.indexOf(STOP_LINK)
  // Only the opt-out mention varies in length among the values that Chappe fills in: one check for each mention is
  // enough.
  const isPersonal = !shownVariables.every(isOwnName)
  const seenWith = new Set<string>()
  let last: RenderedText | undefined

  function refuseBroken(values: readonly string[], { number, phone }: Candidate): void {
    if (shownVariables.length === 0) return
    if (!isPersonal) {
      const mention = routes.stopMention(phone)
      if (seenWith.has(mention)) return
      seenWith.add(mention)
    }
    const { data } = parsed.fill(values)
    const checked = checkRcsContent({ type, data }, { country, isFilled: true })
    if (!('problems' in checked)) return
    throw invalidInput(checked.problems.map(({ path, message }) => ({ path, message: problemFor(message, number) })))
  }

  return (candidate, { shortLink, stopLink }) => {
    const values = parsed.variables.map((_, index) => {
      if (index === mentionAt) return routes.stopMention(candidate.phone)
      if (index === stopLinkAt) return stopLink
      return index === linkAt ? shortLink : (candidate.values[index] ?? '')
    })
    const content = toValuesText(values)
    // Most messages have the same text for all recipients, or nearly: the last result is reused.
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

export type ToPrice = (rendered: RenderedText, phone: string) => { segments: number; credits: number }

/** The segments and credits of a recipient now. A fallback is neither counted nor charged before it happens. */
export function createPrice(send: Send): ToPrice {
  if (send.channel === 'sms') {
    return ({ segments }, phone) => ({ segments, credits: segments * segmentPrice(phone) })
  }
  const credits = rcsPrice(send.message.type)
  return () => ({ segments: 0, credits })
}
