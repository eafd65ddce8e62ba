import Type from 'typebox'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findLoginPerson } from '../people/people.store.ts'
import { openSession } from '../people/sessions.ts'
import type { Tokens } from '../people/tokens.ts'
import { type FindManaged, findForOperator, findForParent } from './managed-account.ts'

const VIEW_SECONDS_MAX = 3_600
const ONLY_PEOPLE = 'Only a person who has logged in can look at another account; a key can’t.'

export const viewAccount = (tokens: Tokens) =>
  view(
    { route: 'POST /accounts/{id}/view', id: 'viewAccount', summary: 'Look at an account (operator)' },
    { find: findForOperator, tokens }
  )

export const viewSubAccount = (tokens: Tokens) =>
  view(
    { route: 'POST /subaccount/{id}/view', id: 'viewSubAccount', summary: 'Look at a sub-account' },
    { find: findForParent, tokens }
  )

function view<Route extends 'POST /accounts/{id}/view' | 'POST /subaccount/{id}/view'>(
  parts: { route: Route; id: string; summary: string },
  { find, tokens }: { find: FindManaged; tokens: Tokens }
) {
  return operation({
    ...parts,
    tag: 'Beyond',
    permission: 'account',
    description:
      'Gives a token that sees the account as its readers do, and changes nothing, for at most an hour. It needs a person, who stands in the audit trail, and it also opens a suspended account.',
    answer: Type.Object({ token: Type.String(), expiresIn: Type.Number() }, { $id: 'ViewToken' }),
    example: { answer: { token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxMiJ9.c2lnbmF0dXJl', expiresIn: 3600 } },
    refusals: { forbidden: ONLY_PEOPLE },
    prepare: async ({ address, agent }) => ({ address, agent }),
    async handle({ caller, params, prepared: origin, database, record }) {
      const { id } = params as { id: number }
      return database.begin(async (database) => {
        const account = await find(database, caller, id)
        const person = caller.personId === null ? undefined : await findLoginPerson(database, { id: caller.personId })
        if (!person) throw new Refusal(403, 'forbidden', ONLY_PEOPLE)
        await record(database, { accountId: account.id, object: { kind: 'account', id: account.id } })
        return openSession(database, tokens, {
          person,
          accountId: account.id,
          viewedFrom: caller.accountId,
          ttlSeconds: VIEW_SECONDS_MAX,
          signedOnAt: caller.signedOnAt,
          ...(caller.token && { from: caller.token }),
          origin
        })
      })
    }
  })
}
