import Type from 'typebox'
import { type FindManaged, findForOperator, findForParent } from '../accounts/managed-account.ts'
import { OPERATOR_ONLY } from '../accounts/operator.ts'
import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findProof, type SenderRef } from './senders.store.ts'

/* The file comes as base64 within JSON: no browser ever opens what a stranger uploaded as a page of this service. */

const ProofView = Type.Object(
  {
    file: Type.String(),
    type: Type.String({ description: '`application/pdf`, `image/png` or `image/jpeg`.' }),
    content: Type.String({ description: 'The file, in base64.' })
  },
  { $id: 'SenderProof' }
)

const common = {
  tag: 'Beyond',
  permission: 'read',
  description: 'Only the account that declared the sender, and whoever decides, get the file.',
  answer: ProofView,
  example: { answer: { file: 'trade-mark.pdf', type: 'application/pdf', content: 'JVBERi0xLjQK' } }
} as const

export const readSenderProof = operation({
  ...common,
  route: 'GET /senders/{id}/proof',
  id: 'readSenderProof',
  summary: 'The proof of one of my senders',
  handle: ({ caller: { accountId }, params, database }) => readProofOf(database, { accountId, id: params.id })
})

export const readAccountSenderProof = operation({
  ...common,
  route: 'GET /accounts/{id}/senders/{sender_id}/proof',
  id: 'readAccountSenderProof',
  summary: 'The proof of a sender (operator)',
  refusals: OPERATOR_ONLY,
  async handle({ caller, params, database }) {
    return readManaged(database, findForOperator, { caller, params })
  }
})

export const readSubAccountSenderProof = operation({
  ...common,
  route: 'GET /subaccount/{id}/senders/{sender_id}/proof',
  id: 'readSubAccountSenderProof',
  summary: 'The proof of a sub-account’s sender',
  async handle({ caller, params, database }) {
    return readManaged(database, findForParent, { caller, params })
  }
})

async function readManaged(
  sql: Sql,
  find: FindManaged,
  { caller, params }: { caller: Parameters<FindManaged>[1]; params: { id: number; sender_id: number } }
) {
  const { id: accountId } = await find(sql, caller, params.id)
  return readProofOf(sql, { accountId, id: params.sender_id })
}

async function readProofOf(sql: Sql, key: SenderRef) {
  const proof = await findProof(sql, key)
  if (!proof) throw notFound('file')
  return { file: proof.fileName, type: proof.mediaType, content: proof.content.toString('base64') }
}
