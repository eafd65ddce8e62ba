import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import type { OurNumbers } from '../compliance/sender.ts'
import { invalidInput } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { listGrants, lockGrants, replaceGrants } from '../numbers/number-grants.store.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { NumberView, numberExample, viewsOf } from './number.ts'
import { raiseRegisterVersion } from './register.store.ts'
import type { SenderRegisterReader } from './register.ts'
import { senderKey } from './sender-key.ts'
import { findAccountIds } from './sender-lists.store.ts'

const ACCOUNTS_MAX = 1_000

export const grantNumber = ({ numbers, register }: { numbers: OurNumbers; register: SenderRegisterReader }) =>
  operation({
    route: 'PUT /number-grants',
    id: 'grantNumber',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Grant a number to accounts (operator)',
    description:
      'Replaces the accounts that may send from a number or short code of the carriers file; their sub-accounts may too. Without any account, it is free to all. Messages that were accepted before still leave.',
    body: Type.Object(
      {
        number: Type.String({ minLength: 1, maxLength: 20, description: 'With or without `+`.' }),
        accounts: Type.Array(Type.Integer({ minimum: 1, maximum: ID_MAX }), {
          maxItems: ACCOUNTS_MAX,
          description: 'Ids of accounts.'
        })
      },
      { $id: 'NumberGrant' }
    ),
    answer: NumberView,
    example: { body: { number: '36111', accounts: [12, 13] }, answer: numberExample },
    refusals: OPERATOR_ONLY,
    async handle({ caller, body, database, afterCommit, record }) {
      refuseUnlessOperator(caller)
      const { ourNumbers } = numbers
      const number = senderKey(body.number.trim())
      const accountIds = [...new Set(body.accounts)]
      const view = await database.begin(async (database) => {
        await lockGrants(database)
        const before = (await listGrants(database)).filter((grant) => grant.number === number)
        // Grants of a number that has left the carriers file can still be taken away.
        if (!ourNumbers.has(number) && before.length === 0) {
          throw invalidInput([{ path: 'number', message: 'must be a number of the carriers file, such as 36111' }])
        }
        const known = await findAccountIds(database, accountIds)
        const unknown = accountIds.find((id) => !known.has(id))
        if (unknown !== undefined) {
          throw invalidInput([{ path: 'accounts', message: `holds ${unknown}, which is no account` }])
        }
        await replaceGrants(database, number, accountIds)
        await record(database, {
          object: { kind: 'number', id: number },
          changes: { accounts: [before.map(({ accountId }) => accountId), accountIds] }
        })
        await raiseRegisterVersion(database)
        const after = (await listGrants(database)).filter((grant) => grant.number === number)
        const [view] = viewsOf(new Set([number]), after)
        return { ...(view ?? numberExample), is_listed: ourNumbers.has(number) }
      })
      afterCommit(() => register.wake())
      return view
    }
  })
