import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { findReadMark } from '../people/memberships.store.ts'
import { NOTHING_READ, NoticePage, noticeExample, toNoticeView } from './notice.ts'
import { countNotices, listNoticesOfPage } from './notices.store.ts'

export const listNotices = operation({
  route: 'GET /notices',
  id: 'listNotices',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Notices',
  description:
    'What people of the account should know, newest first: alarms, limits and balances, ends of campaigns, late campaigns, and requests for credits. Each person has read marks of their own.',
  query: Type.Object({
    ...PageQuery.properties,
    unread: Type.Optional(Type.Boolean({ description: 'Only notices that the person has not read, or has.' }))
  }),
  answer: NoticePage,
  example: { answer: toPage([noticeExample], { page: 1, limit: 10, totalItems: 1 }) },
  mayLag: true,
  async handle({ caller: { accountId, personId }, query: { unread: isUnread, ...page }, database }) {
    const mark = personId === null ? undefined : await findReadMark(database, { accountId, personId })
    const filter = { accountId, isUnread, mark: mark ?? NOTHING_READ }
    const totalItems = await countNotices(database, filter)
    const notices = await listNoticesOfPage(database, filter, pageWindow({ ...page, totalItems }))
    return toPage(
      notices.map((notice) => toNoticeView(notice, filter.mark)),
      { ...page, totalItems }
    )
  }
})
