import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { invalidInput, notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { NOT_A_NUMBER, parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { toSearchedDigits } from '../phone-numbers/search.ts'
import { OperatorStopPage, OperatorStopView, operatorStopExample, Reason, toOperatorStopView } from './operator-stop.ts'
import {
  countOperatorStops,
  deleteOperatorStop as deleteRow,
  insertOperatorStop,
  listOperatorStopsOfPage
} from './operator-stops.store.ts'

export const listOperatorStops = operation({
  route: 'GET /stops/operator',
  id: 'listOperatorStops',
  tag: 'Beyond',
  permission: 'read',
  summary: 'The operator’s own list of STOPs (operator)',
  description: 'Numbers that no account of this installation may write to, newest first.',
  query: Type.Object({
    ...PageQuery.properties,
    search: Type.Optional(
      Type.String({ maxLength: 40, description: 'Only numbers that contain these digits, in any notation.' })
    )
  }),
  answer: OperatorStopPage,
  example: {
    answer: {
      items: [operatorStopExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  refusals: OPERATOR_ONLY,
  async handle({ caller, query, database }) {
    refuseUnlessOperator(caller)
    const { search, ...page } = query
    const isSearch = search !== undefined && search.trim() !== ''
    const digits = isSearch ? toSearchedDigits(search) : undefined
    if (isSearch && digits === undefined) return toPage([], { ...page, totalItems: 0 })
    const totalItems = await countOperatorStops(database, digits)
    const stops = await listOperatorStopsOfPage(database, digits, pageWindow({ ...page, totalItems }))
    return toPage(stops.map(toOperatorStopView), { ...page, totalItems })
  }
})

export const addOperatorStop = operation({
  route: 'POST /stops/operator',
  id: 'addOperatorStop',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Add a number to the operator’s list (operator)',
  description:
    'From now on, no message of any account leaves for this number; sends count it in `stops`. No START lifts it. A number that is on the list already answers the existing entry.',
  body: Type.Object(
    { recipient: Type.String({ minLength: 1, maxLength: 255 }), reason: Reason },
    { $id: 'OperatorStopDto' }
  ),
  answer: OperatorStopView,
  example: { body: { recipient: '06 39 98 00 06', reason: operatorStopExample.reason }, answer: operatorStopExample },
  refusals: OPERATOR_ONLY,
  async handle({ caller, body, database, record }) {
    refuseUnlessOperator(caller)
    const phone = parsePhoneNumber(body.recipient, caller.country)?.e164
    if (phone === undefined) throw invalidInput([{ path: 'recipient', message: NOT_A_NUMBER }])
    return database.begin(async (database) => {
      const stop = await insertOperatorStop(database, { phone, reason: body.reason ?? '' })
      await record(database, { object: { kind: 'operator_stop', id: stop.id } })
      return toOperatorStopView(stop)
    })
  }
})

export const deleteOperatorStop = operation({
  route: 'DELETE /stops/operator/{id}',
  id: 'deleteOperatorStop',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Delete a number of the operator’s list (operator)',
  description: 'Accounts may write to the number again, unless it opted out of them.',
  answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
  example: { answer: { success: true, message: 'The number was deleted from the list.' } },
  refusals: OPERATOR_ONLY,
  async handle({ caller, params, database, record }) {
    refuseUnlessOperator(caller)
    await database.begin(async (database) => {
      if (!(await deleteRow(database, params.id))) throw notFound('number on the list')
      await record(database, { object: { kind: 'operator_stop', id: params.id } })
    })
    return { success: true, message: 'The number was deleted from the list.' }
  }
})
