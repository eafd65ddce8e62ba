import { type Draft, emptyDraft, hasContent, toRequest } from '../compose/draft.ts'
import type { TrialInput } from './api/trials.ts'

/* A trial while it is being written, and the request that it becomes. */

export const LABELS = ['A', 'B', 'C', 'D']

/** What variants differ in. */
export type VariantDraft = Pick<Draft, 'content' | 'rcs' | 'fallback'>

export interface TrialDraft {
  name: string
  share: number
  decideBy: TrialInput['decide_by']
  minutes: number
  /** What all variants have in common: channel, audience, time, sender and link. */
  common: Draft
  variants: VariantDraft[]
}

/** Begins with a message, which becomes the first variant; the second one is to be changed. */
export function toTrialDraft(message: Draft = { ...emptyDraft(), category: 'marketing' }): TrialDraft {
  const { content, rcs, fallback, link } = message
  const variant = { content, rcs, fallback }
  return {
    name: message.name,
    share: 20,
    decideBy: 'clicks',
    minutes: 120,
    // Clicks of a link that all share are nobody's.
    common: { ...message, audience: 'lists', link: { mode: 'unique', url: link.url }, deadline: null, replaces: null },
    variants: [variant, variant]
  }
}

export const emptyVariant = (): VariantDraft => {
  const { content, rcs, fallback } = emptyDraft()
  return { content, rcs, fallback }
}

export function isComplete({ decideBy, common, variants }: TrialDraft): boolean {
  return (
    common.lists.length + common.segments.length > 0 &&
    variants.every((variant) => hasContent({ ...common, ...variant })) &&
    (decideBy !== 'clicks' || common.link.url.trim() !== '')
  )
}

export function toInput({ name, share, decideBy, minutes, common, variants }: TrialDraft): TrialInput {
  const { channel, lists, segments, scheduleAt } = common
  return {
    name: name.trim() || '–',
    ...(lists.length > 0 && { contactlist: lists.map(Number) }),
    ...(segments.length > 0 && { segments: segments.map(Number) }),
    ...(scheduleAt !== null && { scheduleAt }),
    share,
    decide_by: decideBy,
    ...(decideBy !== 'hand' && { decide_after_minutes: minutes }),
    variants: variants.map((variant) => ({ [channel]: toMessage({ ...common, ...variant }) }))
  }
}

/** The audience and the time are those of the trial, and so is the name. */
function toMessage(draft: Draft): Record<string, unknown> {
  const link = { ...draft.link, url: draft.link.url.trim() }
  const { body } = toRequest({ ...draft, link, name: '', scheduleAt: null }, '')
  const {
    contactlist: _lists,
    segments: _segments,
    recipients: _recipients,
    contacts: _contacts,
    ...message
  } = body as Record<string, unknown>
  return message
}
