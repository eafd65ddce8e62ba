import { type Draft, emptyDraft, hasAudience, hasContent, toRequest } from '../compose/draft.ts'
import { fromForm, isOfForm } from '../compose/message-form.ts'
import type { Automation, AutomationInput } from './api/automations.ts'

/* An automation while it is being written, and the request that it becomes. */

export interface AutomationForm {
  name: string
  /** Five fields of a crontab. */
  schedule: string
  isOnce: boolean
  isOn: boolean
  /** The message and its audience: lists and segments. */
  draft: Draft
  /** Fields of the message that the console has no field for, as a program gave them. */
  others: Record<string, unknown>
}

const NAME_LENGTH_MAX = 120

export function emptyForm(): AutomationForm {
  const draft: Draft = { ...emptyDraft(), audience: 'lists' }
  return { name: '', schedule: '0 10 * * *', isOnce: false, isOn: true, draft, others: {} }
}

export function toForm({ name, schedule, once, is_on, channel, message, contactlist, segments }: Automation) {
  const kind = channel === 'rcs' ? 'rcs' : 'lists'
  const fields = { ...message, ...(contactlist && { contactlist }), ...(segments && { segments }) }
  const draft: Draft = { ...fromForm({ kind, fields, numbers: [], has_all_numbers: true }), audience: 'lists' }
  const others = Object.fromEntries(Object.entries(message).filter(([field]) => !isOfForm(field)))
  return { name, schedule, isOnce: once, isOn: is_on, draft, others } satisfies AutomationForm
}

export const isReady = ({ name, draft }: AutomationForm) =>
  name.trim() !== '' && hasAudience(draft) && hasContent(draft)

/** A message without a name has that of its automation. */
export function toInput({ name: given, schedule, isOnce, isOn, draft, others }: AutomationForm): AutomationInput {
  const name = given.trim()
  const named = { ...draft, name: draft.name.trim() || name.slice(0, NAME_LENGTH_MAX).trim() }
  const { contactlist, segments, ...message } = toRequest(named, '').body as Record<string, unknown> &
    Pick<AutomationInput, 'contactlist' | 'segments'>
  return {
    name,
    schedule,
    once: isOnce,
    is_on: isOn,
    ...(contactlist && { contactlist }),
    ...(segments && { segments }),
    [draft.channel]: { ...others, ...message }
  }
}
