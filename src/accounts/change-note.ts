import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { updateNote } from './accounts.store.ts'
import { type FindManaged, findForOperator, findForParent } from './managed-account.ts'
import { OPERATOR_ONLY } from './operator.ts'

const NoteView = Type.Object({ id: Type.Integer(), note: Type.String() }, { $id: 'AccountNote' })

export const changeAccountNote = changeNote(
  {
    route: 'PUT /accounts/{id}/note',
    id: 'changeAccountNote',
    summary: 'Write a note about an account (operator)',
    refusals: OPERATOR_ONLY
  },
  findForOperator
)

export const changeSubAccountNote = changeNote(
  {
    route: 'PUT /subaccount/{id}/note',
    id: 'changeSubAccountNote',
    summary: 'Write a note about a sub-account',
    refusals: {}
  },
  findForParent
)

function changeNote<Route extends 'PUT /accounts/{id}/note' | 'PUT /subaccount/{id}/note'>(
  parts: { route: Route; id: string; summary: string; refusals: Partial<typeof OPERATOR_ONLY> },
  find: FindManaged
) {
  return operation({
    ...parts,
    tag: 'Beyond',
    permission: 'account',
    description: 'Replaces the note. The operator and the account above see it; the account itself does not.',
    body: Type.Object({ note: Type.String({ maxLength: 2000 }) }, { $id: 'AccountNoteChange' }),
    answer: NoteView,
    example: { body: { note: 'Pays by quarter.' }, answer: { id: 12, note: 'Pays by quarter.' } },
    async handle({ caller, params, body, database, record }) {
      const { id } = params as { id: number }
      return database.begin(async (database) => {
        const account = await find(database, caller, id)
        await updateNote(database, { accountId: account.id, note: body.note })
        await record(database, { accountId: account.id, object: { kind: 'note', id: account.id } })
        return { id: account.id, note: body.note }
      })
    }
  })
}
