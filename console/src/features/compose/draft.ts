import type { Schemas } from '../../lib/api.ts'

/*
 * A message while it is being written, and the request that it becomes.
 */

export type Choice = NonNullable<Schemas['RcsTextDto']['choices']>[number]
export type RcsType = 'text' | 'card' | 'carousel'

export interface CardDraft {
  title: string
  description: string
  media_message_url: string
  choices: Choice[]
}

export interface RcsDraft {
  type: RcsType
  text: string
  /** The choices of a text; cards have their own. */
  choices: Choice[]
  /** One for a card, two to ten for a carousel. */
  cards: CardDraft[]
}

export interface LinkDraft {
  mode: 'none' | 'unique' | 'common'
  url: string
}

export interface Draft {
  /** What people call the message; empty is no name. */
  name: string
  tags: string[]
  /** The scheduled message whose place it takes. */
  replaces: number | null
  channel: 'sms' | 'rcs'
  audience: 'numbers' | 'lists' | 'file'
  numbers: string
  lists: string[]
  /** Beside the lists. */
  segments: string[]
  file: File | null
  content: string
  sender: string
  rcs: RcsDraft
  /** The agent of an RCS; empty: by the route. */
  agent: string
  /** The SMS for phones without RCS; empty is none. */
  fallback: string
  category: 'transactional' | 'marketing'
  link: LinkDraft
  /** ISO 8601; null is now. */
  scheduleAt: string | null
  /** Seconds; null is as long as the service waits by itself. */
  validity: number | null
  /** By when it should have left, in ISO 8601; null is no deadline. */
  deadline: string | null
  /** How it leaves a little at a time; null is as fast as possible. */
  spread: { per_hour: number } | { minutes: number } | null
  /** Of a transactional message. */
  priority: 'low' | 'normal' | 'high'
  /** Of an SMS. */
  flash: boolean
}

export const emptyCard = (): CardDraft => ({ title: '', description: '', media_message_url: '', choices: [] })
const emptyRcs = (): RcsDraft => ({ type: 'card', text: '', choices: [], cards: [emptyCard()] })

export function emptyDraft(): Draft {
  return {
    name: '',
    tags: [],
    replaces: null,
    channel: 'sms',
    audience: 'numbers',
    numbers: '',
    lists: [],
    segments: [],
    file: null,
    content: '',
    sender: '',
    rcs: emptyRcs(),
    agent: '',
    fallback: '',
    category: 'transactional',
    link: { mode: 'none', url: '' },
    scheduleAt: null,
    deadline: null,
    validity: null,
    spread: null,
    priority: 'normal',
    flash: false
  }
}

export function isEmpty({ numbers, lists, segments, file, content, fallback, rcs }: Draft): boolean {
  const texts = [
    numbers,
    content,
    fallback,
    rcs.text,
    ...rcs.cards.flatMap(({ title, description }) => [title, description])
  ]
  return lists.length + segments.length === 0 && file === null && texts.every((text) => text === '')
}

/** Numbers as people paste them: one a line, or with commas, semicolons or tabs; spaces belong to the number. */
export function splitNumbers(text: string): string[] {
  if (text !== lastSplit.text) {
    const numbers = text.split(/[\n\r,;\t]+/).map((number) => number.trim())
    lastSplit = { text, numbers: numbers.filter((number) => number !== '') }
  }
  return lastSplit.numbers
}

/** Many components ask for the numbers of one text with every typed letter; a hundred thousand numbers are split once. */
let lastSplit: { text: string; numbers: string[] } = { text: '', numbers: [] }

export function hasAudience({ audience, numbers, lists, segments, file }: Draft): boolean {
  if (audience === 'numbers') return splitNumbers(numbers).length > 0
  return audience === 'lists' ? lists.length + segments.length > 0 : file !== null
}

export function hasContent({ channel, content, rcs }: Draft): boolean {
  if (channel === 'sms') return content.trim() !== ''
  if (rcs.type === 'text') return rcs.text.trim() !== ''
  return rcs.cards.every((card) =>
    [card.title, card.description, card.media_message_url].some((text) => text.trim() !== '')
  )
}

type RcsContent = Schemas['RcsTextContent'] | Schemas['RcsCardContent'] | Schemas['RcsCarouselContent']

/** The content of an RCS draft as the API expects it, without empty fields. */
export function toRcsContent({ type, text, choices, cards }: RcsDraft): RcsContent {
  const some = (list: Choice[]) => (list.length > 0 ? { choices: list } : {})
  if (type === 'text') return { type, data: { text, ...some(choices) } }
  const toCard = ({ choices, ...card }: CardDraft) => ({
    ...Object.fromEntries(Object.entries(card).filter(([, value]) => value.trim() !== '')),
    ...some(choices)
  })
  if (type === 'card') return { type, data: toCard(cards[0] ?? emptyCard()) }
  return { type, data: { cards: cards.map(toCard) } }
}

/** The draft of an RCS that was stored as a template. */
export function fromRcsData(type: RcsType, data: unknown): RcsDraft {
  const given = (data ?? {}) as Partial<CardDraft> & { text?: string; cards?: Partial<CardDraft>[] }
  const toCard = (card: Partial<CardDraft>): CardDraft => ({
    title: card.title ?? '',
    description: card.description ?? '',
    media_message_url: card.media_message_url ?? '',
    choices: card.choices ?? []
  })
  if (type === 'text') return { ...emptyRcs(), type, text: given.text ?? '', choices: given.choices ?? [] }
  return { ...emptyRcs(), type, cards: type === 'card' ? [toCard(given)] : (given.cards ?? []).map(toCard) }
}

type Body = Record<string, unknown>

/** The operation that sends the draft, and its body. Without an audience the body has a sample number: for the cost. */
export function toRequest(draft: Draft, sample: string): { operation: SendOperation; body: Body | FormData } {
  const common: Body = {
    category: draft.category,
    ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
    ...(draft.tags.length > 0 && { tags: draft.tags }),
    ...(draft.replaces !== null && { replaces: draft.replaces }),
    ...(draft.link.mode !== 'none' && draft.link.url !== '' && { shorturl: draft.link }),
    ...(draft.scheduleAt && { scheduleAt: draft.scheduleAt }),
    ...(draft.deadline && { deadline: draft.deadline }),
    ...(draft.validity !== null && { validity: draft.validity }),
    ...(draft.spread !== null && { spread: draft.spread }),
    ...(draft.category === 'transactional' && draft.priority !== 'normal' && { priority: draft.priority })
  }
  const numbers = hasAudience(draft) ? splitNumbers(draft.numbers) : [sample]
  const isListed = draft.audience === 'lists' && hasAudience(draft)
  const listed = {
    ...(draft.lists.length > 0 && { contactlist: draft.lists.map(Number) }),
    ...(draft.segments.length > 0 && { segments: draft.segments.map(Number) })
  }
  if (draft.channel === 'rcs') {
    const fallback = draft.fallback.trim() === '' ? {} : { fallback: { content: draft.fallback, ...senderOf(draft) } }
    const shown = {
      ...toRcsContent(draft.rcs),
      ...(draft.agent !== '' && { agent: draft.agent }),
      ...fallback,
      ...common
    }
    if (draft.audience === 'file' && draft.file) return { operation: 'sendRcsFile', body: toForm(shown, draft.file) }
    const people = isListed ? listed : { contacts: numbers.map((recipient) => ({ recipient })) }
    return { operation: 'sendRcs', body: { ...people, ...shown } }
  }
  const words = { content: draft.content, ...senderOf(draft), ...common, ...(draft.flash && { flash: true }) }
  if (isListed) return { operation: 'sendSmsToLists', body: { ...words, ...listed } }
  if (draft.audience === 'file' && draft.file) return { operation: 'sendSmsFile', body: toForm(words, draft.file) }
  return { operation: 'sendSms', body: { ...words, recipients: numbers } }
}

/** The fields of a draft that is kept: those of its request, without a sample number, its file and its name. */
export function toFields(draft: Draft): Body {
  const isFile = draft.audience === 'file'
  const { body } = toRequest(isFile ? { ...draft, audience: 'numbers', numbers: '' } : draft, '')
  const { name: _name, recipients, contacts, ...fields } = body as Body
  const people = { ...(recipients !== undefined && { recipients }), ...(contacts !== undefined && { contacts }) }
  return { ...fields, ...(!isFile && hasAudience(draft) && people) }
}

export type SendOperation = 'sendSms' | 'sendSmsToLists' | 'sendSmsFile' | 'sendRcs' | 'sendRcsFile'

const senderOf = ({ sender }: Draft) => (sender.trim() === '' ? {} : { sender: sender.trim() })

function toForm(fields: Body, file: File): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  form.set('file', file)
  return form
}

const PLACE = /#(\p{L}[\p{L}\p{M}\p{N}_]*)#/gu
const keyOf = (name: string) => name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** A text as one person gets it. A variable without a value stays visible. */
export function fillIn(text: string, values: Record<string, string>): string {
  const known = new Map(Object.entries(values).map(([name, value]) => [keyOf(name), value]))
  return text.replaceAll(PLACE, (place, name: string) => known.get(keyOf(name)) ?? place)
}
