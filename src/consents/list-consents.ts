import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { toSearchedDigits } from '../phone-numbers/search.ts'
import { ConsentPage, consentExample, toConsentView } from './consent.ts'
import { countConsents, listConsentsOfPage } from './consents.store.ts'

export const listConsents = operation({
  route: 'GET /consents',
  id: 'listConsents',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List consents',
  description: 'The consents of people, newest first, also those that were withdrawn.',
  query: Type.Object({
    ...PageQuery.properties,
    search: Type.Optional(
      Type.String({ maxLength: 40, description: 'Only numbers that contain these digits, in any notation.' })
    ),
    state: Type.Optional(
      Type.Enum(['held', 'withdrawn'], { description: 'Only consents that hold, or only those that were withdrawn.' })
    )
  }),
  answer: ConsentPage,
  example: {
    answer: {
      items: [consentExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller, query, database }) {
    const { search, state, ...page } = query
    const isSearch = search !== undefined && search.trim() !== ''
    const digits = isSearch ? toSearchedDigits(search) : undefined
    if (isSearch && digits === undefined) return toPage([], { ...page, totalItems: 0 })
    const scope = { accountId: caller.accountId, digits, state }
    const totalItems = await countConsents(database, scope)
    const consents = await listConsentsOfPage(database, scope, pageWindow({ ...page, totalItems }))
    return toPage(consents.map(toConsentView), { ...page, totalItems })
  }
})
