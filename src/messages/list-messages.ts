import Type from 'typebox'
import { invalidInput } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { isOfOtherYear, OTHER_YEAR } from '../schemas/years.ts'
import { countMessages, listMessagesOfPage } from './history.store.ts'
import { MESSAGE_STATES } from './message.ts'
import { MessagePage, messageExample, toMessageView } from './message-view.ts'
import { readMoment } from './schedule.ts'

const Moment = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }))

export const listMessages = operation({
  route: 'GET /messages',
  id: 'listMessages',
  tag: 'Messages',
  permission: 'read',
  summary: 'Message history',
  description: 'The messages of the account, newest first.',
  query: Type.Object({
    ...PageQuery.properties,
    state: Type.Optional(Type.Enum(MESSAGE_STATES)),
    channel: Type.Optional(Type.Enum(['sms', 'rcs'])),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'Only those with this tag.' })),
    from: Moment('Only those that leave at or after this: a date, or a date and time, in ISO 8601.'),
    to: Moment('Only those that leave at or before this; of a date, its whole day.'),
    search: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Only those whose name, content, sender or external_id contains this.'
      })
    )
  }),
  answer: MessagePage,
  example: {
    answer: {
      items: [messageExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  mayLag: true,
  async handle({ caller, query, database }) {
    const { page, limit, state, channel, tag, search } = query
    const { timeZone } = caller
    const filter = {
      accountId: caller.accountId,
      state,
      channel,
      tag,
      from: readLimit('from', query.from, timeZone, false),
      to: readLimit('to', query.to, timeZone, true),
      search: search === undefined || search.trim() === '' ? undefined : search
    }
    const totalItems = await countMessages(database, filter)
    const messages = await listMessagesOfPage(database, filter, pageWindow({ page, limit, totalItems }))
    return toPage(
      messages.map((message) => toMessageView(message, timeZone)),
      { page, limit, totalItems }
    )
  }
})

function readLimit(path: string, text: string | undefined, timeZone: string, isEnd: boolean): Date | undefined {
  if (text === undefined) return undefined
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const moment = readMoment(isDay && isEnd ? `${text}T23:59:59.999` : text, timeZone)
  if (!moment)
    throw invalidInput([{ path, message: 'must be a date, or a date and time, in ISO 8601, such as 2026-12-24' }])
  if (isOfOtherYear(moment)) throw invalidInput([{ path, message: OTHER_YEAR }])
  return moment
}
