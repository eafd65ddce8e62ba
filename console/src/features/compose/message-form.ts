import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../lib/api.ts'
import { type Draft, emptyDraft, fromRcsData, type LinkDraft, type RcsType } from './draft.ts'

/** The fields that a message was sent with. */
export const messageFormQuery = (id: number) =>
  queryOptions({
    queryKey: ['messages', id, 'form'],
    queryFn: () => call('readMessageForm', { path: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false
  })

interface Fields {
  recipients?: string[]
  contacts?: { recipient: string }[]
  replaces?: number
  scheduleAt?: string
  deadline?: string
  name?: string
  tags?: string[]
  content?: string
  sender?: string
  category?: Draft['category']
  shorturl?: LinkDraft | null
  validity?: number
  spread?: Draft['spread']
  priority?: Draft['priority']
  flash?: boolean
  contactlist?: number[]
  segments?: number[]
  agent?: string
  type?: RcsType
  data?: unknown
  fallback?: { content?: string; sender?: string }
}

const FIELDS: Record<keyof Required<Fields>, true> = {
  recipients: true,
  contacts: true,
  replaces: true,
  scheduleAt: true,
  deadline: true,
  name: true,
  tags: true,
  content: true,
  sender: true,
  category: true,
  shorturl: true,
  validity: true,
  spread: true,
  priority: true,
  flash: true,
  contactlist: true,
  segments: true,
  agent: true,
  type: true,
  data: true,
  fallback: true
}

/** Whether a draft has this field of a request. */
export const isOfForm = (field: string): boolean => Object.hasOwn(FIELDS, field)

/** The draft of a message that was sent. Values of variables and files are not kept: they are chosen anew. */
export function fromForm({ kind, fields, numbers, has_all_numbers: isWhole }: Schemas['MessageForm']): Draft {
  const given = fields as Fields
  const isRcs = kind === 'rcs'
  const lists = given.contactlist?.map(String) ?? []
  const segments = given.segments?.map(String) ?? []
  return {
    ...emptyDraft(),
    name: given.name ?? '',
    tags: given.tags ?? [],
    channel: isRcs ? 'rcs' : 'sms',
    audience: lists.length + segments.length > 0 ? 'lists' : kind === 'file' ? 'file' : 'numbers',
    lists,
    segments,
    // Some of the numbers would be taken for all of them.
    numbers: isWhole && kind !== 'file' ? numbers.join('\n') : '',
    content: given.content ?? '',
    sender: (isRcs ? given.fallback?.sender : given.sender) ?? '',
    category: given.category ?? 'transactional',
    link: given.shorturl ?? { mode: 'none', url: '' },
    // One that is over would be refused.
    deadline: given.deadline !== undefined && Date.parse(given.deadline) > Date.now() ? given.deadline : null,
    validity: given.validity ?? null,
    spread: given.spread ?? null,
    priority: given.priority ?? 'normal',
    flash: given.flash ?? false,
    ...(isRcs && {
      rcs: fromRcsData(given.type ?? 'text', given.data),
      agent: given.agent ?? '',
      fallback: given.fallback?.content ?? ''
    })
  }
}

/** A draft that the service keeps. A send time that is over is left out: the message would leave at once. */
export function fromSaved({ name, channel, fields }: Schemas['Draft']): Draft {
  const { recipients, contacts, replaces, scheduleAt } = fields as Fields
  const numbers = recipients ?? contacts?.map(({ recipient }) => recipient) ?? []
  const kind = channel === 'rcs' ? 'rcs' : 'numbers'
  return {
    ...fromForm({ kind, fields, numbers, has_all_numbers: true }),
    name,
    replaces: replaces ?? null,
    scheduleAt: scheduleAt !== undefined && Date.parse(scheduleAt) > Date.now() ? scheduleAt : null
  }
}
