import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { listApiKeys } from './api-keys.store.ts'
import { KeyView, keyExample, toKeyView } from './key.ts'

export const listKeys = operation({
  route: 'GET /keys',
  id: 'listKeys',
  tag: 'Beyond',
  permission: 'people',
  summary: 'List keys',
  description: 'The keys of this account, newest first, without their secrets.',
  answer: Type.Array(KeyView),
  example: { answer: [keyExample] },
  async handle({ caller, database }) {
    return (await listApiKeys(database, caller.accountId)).map(toKeyView)
  }
})
