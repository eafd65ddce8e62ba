import type { FormKind, MessageForm } from '../messages/message-forms.store.ts'

/** Not part of what is sent again: they belong to one message. */
const OF_ONE_MESSAGE = new Set(['draft', 'external_id', 'replaces', 'expected_credits'])

/** The fields of a send as they were written, without the recipients of its body. */
export function toForm(
  {
    kind,
    contactlist,
    segments
  }: {
    kind: FormKind
    contactlist?: readonly number[] | undefined
    segments?: readonly number[] | undefined
  },
  fields: object,
  known: object
): MessageForm {
  const kept = Object.entries(fields).filter(
    ([name, value]) => Object.hasOwn(known, name) && !OF_ONE_MESSAGE.has(name) && value !== undefined
  )
  return {
    kind,
    fields: { ...Object.fromEntries(kept), ...(contactlist && { contactlist }), ...(segments && { segments }) }
  }
}
