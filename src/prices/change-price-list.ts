import Type from 'typebox'
import { refuseUnlessOperator } from '../accounts/operator.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import type { PriceBookReader } from './price-book.ts'
import { nameTaken, PriceListName, PriceListView, priceListExample, readPriceList } from './price-list.ts'
import { lockPriceList, raisePriceRegisterVersion, updateDefaultList, updatePriceListName } from './prices.store.ts'

export const changePriceList = (prices: PriceBookReader) =>
  operation({
    route: 'PUT /price-lists/{id}',
    id: 'changePriceList',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Rename a price list, or make it the default',
    description:
      'Renames a list. The operator also says whether one of its own lists is the default: it then counts for every account without a list of its own, in place of the built-in prices and of the default before.',
    body: Type.Object(
      {
        name: Type.Optional(PriceListName),
        is_default: Type.Optional(Type.Boolean({ description: 'Only by the operator.' }))
      },
      { $id: 'PriceListChange' }
    ),
    answer: PriceListView,
    example: { body: { is_default: true }, answer: { ...priceListExample, is_default: true } },
    refusals: {
      forbidden: 'Only the operator sets the default.',
      not_found: 'There is no such list.',
      state_conflict: 'There is a list of this name.'
    },
    async handle({ caller, params, body, database, afterCommit, record }) {
      const name = body.name?.trim()
      const { is_default: isDefault } = body
      afterCommit(prices.reread)
      return database.begin(async (database) => {
        const before = await lockPriceList(database, { of: caller.accountId, id: params.id })
        if (!before) throw notFound('price list')
        const { id, accountId } = before
        if (isDefault !== undefined) refuseUnlessOperator(caller)
        if (name !== undefined && !(await updatePriceListName(database, { accountId, id, name }))) throw nameTaken(name)
        // Before the default moves: two changes of it at once wait for each other here.
        await raisePriceRegisterVersion(database)
        if (isDefault !== undefined && isDefault !== before.isDefault)
          await updateDefaultList(database, { id, isDefault })
        await record(database, {
          object: { kind: 'price_list', id },
          changes: {
            ...(name !== undefined && { name: [before.name, name] }),
            ...(isDefault !== undefined && { is_default: [before.isDefault, isDefault] })
          }
        })
        return readPriceList(database, { of: accountId, id })
      })
    }
  })
