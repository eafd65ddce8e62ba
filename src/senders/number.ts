import Type, { type Static } from 'typebox'
import type { Grant } from '../numbers/number-grants.store.ts'

/** A number or short code of the carriers file. Free to every account, unless it is granted to some. */
export const NumberView = Type.Object(
  {
    number: Type.String({ description: 'Without `+`.' }),
    is_free: Type.Boolean({ description: 'Whether every account may send from it.' }),
    is_shared: Type.Boolean({ description: 'Whether several accounts may send from it.' }),
    is_listed: Type.Boolean({ description: 'Whether the carriers file still lists it.' }),
    accounts: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }), {
      description: 'The accounts that it is granted to, with their sub-accounts. Only for the operator.'
    })
  },
  { $id: 'ServiceNumber' }
)

export const numberExample: Static<typeof NumberView> = {
  number: '36111',
  is_free: false,
  is_shared: true,
  is_listed: true,
  accounts: [
    { id: 12, name: 'My Shop' },
    { id: 13, name: 'Your Shop' }
  ]
}

export function viewsOf(ourNumbers: ReadonlySet<string>, grants: readonly Grant[]): Static<typeof NumberView>[] {
  const byNumber = Map.groupBy(grants, ({ number }) => number)
  return [...new Set([...ourNumbers, ...byNumber.keys()])].sort().map((number) => {
    const accounts = (byNumber.get(number) ?? []).map(({ accountId, name }) => ({ id: accountId, name }))
    return {
      number,
      is_free: accounts.length === 0,
      is_shared: accounts.length !== 1,
      is_listed: ourNumbers.has(number),
      accounts
    }
  })
}
