import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { toSearchedDigits } from '../phone-numbers/search.ts'
import { StopPage, stopExample, toStopView } from './stop.ts'
import { countStops, listStopsOfPage } from './stops.store.ts'

export const listStops = operation({
  route: 'GET /stops/all',
  id: 'listStops',
  tag: 'Stops',
  permission: 'read',
  summary: 'List STOPs',
  description: 'The numbers that are opted out, newest first.',
  query: Type.Object({
    ...PageQuery.properties,
    search: Type.Optional(
      Type.String({ maxLength: 40, description: 'Only numbers that contain these digits, in any notation.' })
    )
  }),
  answer: StopPage,
  example: {
    answer: {
      items: [stopExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller, query, database }) {
    const { search, ...page } = query
    const isSearch = search !== undefined && search.trim() !== ''
    const digits = isSearch ? toSearchedDigits(search) : undefined
    if (isSearch && digits === undefined) return toPage([], { ...page, totalItems: 0 })
    const scope = { accountId: caller.accountId, digits }
    const totalItems = await countStops(database, scope)
    const stops = await listStopsOfPage(database, scope, pageWindow({ ...page, totalItems }))
    return toPage(stops.map(toStopView), { ...page, totalItems })
  }
})
