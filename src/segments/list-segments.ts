import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { findProblems } from './rule-check.ts'
import { SegmentPage, segmentExample, toSegmentView } from './segment.ts'
import { countSegments, listSegmentsOfPage } from './segments.store.ts'

export const listSegments = operation({
  route: 'GET /segments',
  id: 'listSegments',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List segments',
  description: 'The segments of this account, newest first, each with the rules that name something which is gone.',
  query: Type.Object({
    ...PageQuery.properties,
    search: Type.Optional(Type.String({ maxLength: 255, description: 'Only segments whose name contains this.' }))
  }),
  answer: SegmentPage,
  example: {
    answer: {
      items: [segmentExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller: { accountId }, query: { search, ...page }, database }) {
    const scope = { accountId, search: search || undefined }
    const totalItems = await countSegments(database, scope)
    const segments = await listSegmentsOfPage(database, scope, pageWindow({ ...page, totalItems }))
    const problems = await findProblems(database, accountId, segments)
    const views = segments.map((segment, index) => toSegmentView(segment, problems[index] ?? []))
    return toPage(views, { ...page, totalItems })
  }
})
