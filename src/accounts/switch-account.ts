import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findLoginPerson } from '../people/people.store.ts'
import { openSession } from '../people/sessions.ts'
import type { Tokens } from '../people/tokens.ts'
import { ID_MAX } from '../schemas/ids.ts'
import type { FindSite } from '../second-factors/site.ts'
import { listLoginAccounts, updateLastLogin } from './accounts.store.ts'
import { accountsAt } from './family-only.ts'
import { LoginAnswer, loginExample } from './login-answer.ts'
import { PERSON_ONLY, refuseKeysAndViewers } from './person-only.ts'
import { refusalOf } from './standing.ts'

export const switchAccount = (tokens: Tokens, findSite: FindSite) =>
  operation({
    route: 'POST /auth/switch',
    id: 'switchAccount',
    tag: 'Beyond',
    permission: 'any',
    summary: 'Switch to another of my accounts',
    description:
      'Begins a session on another account of the person who asks, and answers its token. It ends with the session of the request at the latest. The token of the request stays valid: two tabs may be on two accounts.',
    body: Type.Object(
      { account_id: Type.Integer({ minimum: 1, maximum: ID_MAX, description: 'One of `GET /users/me/accounts`.' }) },
      { $id: 'AccountSwitch' }
    ),
    answer: LoginAnswer,
    example: { body: { account_id: 12 }, answer: loginExample },
    refusals: {
      ...PERSON_ONLY,
      not_found: 'The person is on no such account, or the host name of the request belongs to other accounts.',
      account_suspended: 'The account is suspended or closed; the sentence says why.'
    },
    async prepare({ caller, body, pool, address, agent, origin }) {
      const { personId, token: from } = refuseKeysAndViewers(caller)
      const person = await findLoginPerson(pool, { id: personId })
      const accounts = accountsAt(findSite(origin), await listLoginAccounts(pool, personId))
      const account = accounts.find(({ id }) => id === body.account_id)
      if (!person || !account) throw notFound('account')
      const refusal = refusalOf(account)
      if (refusal) throw refusal
      const { signedOnAt } = caller
      return { person, accountId: account.id, signedOnAt, from, origin: { address, agent } }
    },
    async handle({ prepared, database, record }) {
      return database.begin(async (database) => {
        await updateLastLogin(database, prepared.accountId)
        await record(database, { accountId: prepared.accountId, isMember: true })
        return openSession(database, tokens, prepared)
      })
    }
  })
