import { useFormats } from '../../lib/format.ts'
import { defineWords, useWords } from '../../lib/language.ts'
import { scopeWords } from '../account/scope-words.ts'
import { standingWords } from '../accounts/standing-words.ts'
import { requestWords } from '../credits/words.ts'
import { roleWords } from '../people/words.ts'
import { senderWords } from '../senders/words.ts'
import { webhookWords } from '../webhooks/words.ts'

const words = defineWords({ nothing: 'nothing', yes: 'yes', no: 'no' }, { nothing: 'rien', yes: 'oui', no: 'non' })

/** Values of the audit trail in the words of the pages that show them: a role, a state, a country. Others stay as they are. */
export function useValues(): (field: string, value: unknown) => string {
  const say = useWords(words)
  const senders = useWords(senderWords)
  const known: Record<string, object> = {
    role: useWords(roleWords),
    scopes: useWords(scopeWords),
    use: senders,
    sender_mode: senders,
    standing: useWords(standingWords),
    state: { ...senders, ...useWords(requestWords).states }
  }
  const { types } = useWords(webhookWords)
  const formats = useFormats()
  const showText = (field: string, value: string): string => {
    if (field === 'countries') return formats.country(value)
    // A webhook is its type and its address.
    if (field === 'webhooks') return value.replace(/^\w+/, (type) => textIn(types, type))
    return textIn(known[field] ?? {}, value)
  }
  return function show(field, value): string {
    if (Array.isArray(value) && value.length > 0) return value.map((each) => show(field, each)).join(', ')
    if (field === 'countries' && isEmpty(value)) return senders.everywhere
    if (isEmpty(value)) return say.nothing
    if (typeof value === 'boolean') return value ? say.yes : say.no
    return typeof value === 'string' ? showText(field, value) : String(value)
  }
}

/** A thing that was just made had nothing before. */
export const isEmpty = (value: unknown) =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

function textIn(texts: object, name: string): string {
  const text: unknown = Object.hasOwn(texts, name) ? texts[name as keyof typeof texts] : undefined
  return typeof text === 'string' ? text : name
}
