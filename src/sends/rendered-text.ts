import { strict as assert } from 'node:assert'
import { invalidInput, problemFor } from '../errors.ts'
import { type FittedText, fitText } from '../gsm/typography.ts'
import { type PriceTable, type RcsShape, rcsShapeOf } from '../prices/price.ts'
import { checkRcsContent } from '../rcs/check-rcs-content.ts'
import { toValuesText } from '../recipients/rcs-recipient.ts'
import { isOwnName, isSameForAll, render, SHORT_LINK, STOP_LINK, STOP_MENTION } from './content.ts'
import type { Candidate } from './plan.ts'
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
  /** Of an RCS. */
  shape?: RcsShape
}

/** Renders the text of one candidate, with its tracked link and its opt-out link. */
export type RenderText = (candidate: Candidate, links: { shortLink: string; stopLink: string }) => RenderedText

export function createRenderText(send: Send, routes: MessageRoutes, prices: PriceTable): RenderText {
  if (send.options?.binary) return () => NO_TEXT
  return send.channel === 'sms' ? createRenderSms(send, routes) : createRenderRcs(send, routes, prices)
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

function createRenderRcs(
  { parsed, shownVariables, message, country }: RcsSend,
  routes: MessageRoutes,
  prices: PriceTable
): RenderText {
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
    const shape = prices.asksContent ? rcsShapeOf(parsed.fill(values)) : { type, isBasic: type === 'text' }
    last = { ...fitText(fallback ?? '', { typography: hasPlainTypography }), content, shape }
    return last
  }
}

function emptyFallback({ number }: Candidate) {
  return invalidInput([{ path: 'fallback.content', message: `must not be empty for ${number}` }])
}

export type ToPrice = (rendered: RenderedText, phone: string) => { segments: number; credits: number }

/**
 * The segments and credits of a recipient now, whose number has a price. A fallback is neither counted nor charged before it
 * happens.
 */
export function createPrice(send: Send, prices: PriceTable): ToPrice {
  if (send.channel === 'sms') {
    return ({ segments }, phone) => ({ segments, credits: segments * known(prices.segment(phone), phone) })
  }
  return ({ shape }, phone) => ({ segments: 0, credits: known(shape && prices.rcs(shape, phone), phone) })
}

/** Whether a send may go to this number. A list that prices one kind of RCS prices the other as well. */
export function hasPrice({ channel }: Send, prices: PriceTable, phone: string): boolean {
  return (channel === 'sms' ? prices.segment(phone) : prices.rcs(ANY_RCS, phone)) !== undefined
}

const ANY_RCS: RcsShape = { type: 'card', isBasic: false }

function known(credits: number | undefined, phone: string): number {
  assert(credits !== undefined, `${phone} has no price`)
  return credits
}
