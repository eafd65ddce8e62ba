import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { credentialExample, SmppCredentialView, toCredentialView } from './credential.ts'
import { listCredentials } from './credentials.store.ts'

export const listSmppCredentials = operation({
  route: 'GET /smpp/credentials',
  id: 'listSmppCredentials',
  tag: 'Beyond',
  permission: 'people',
  summary: 'List SMPP credentials',
  description: 'The credentials that this account binds with over SMPP, newest first, without their passwords.',
  answer: Type.Array(SmppCredentialView),
  example: { answer: [credentialExample] },
  async handle({ caller, database }) {
    return (await listCredentials(database, caller.accountId)).map(toCredentialView)
  }
})
