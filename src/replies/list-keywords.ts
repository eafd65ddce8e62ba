import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { KEYWORDS_MAX } from './add-keyword.ts'
import { KeywordView, keywordExample, toKeywordView } from './keyword.ts'
import { listKeywords as listRows } from './keywords.store.ts'

export const listKeywords = operation({
  route: 'GET /consents/keywords',
  id: 'listKeywords',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List keywords for consent',
  description: 'The keywords of this account, newest first.',
  answer: Type.Array(KeywordView),
  example: { answer: [keywordExample] },
  async handle({ caller, database }) {
    return (await listRows(database, { accountId: caller.accountId, limit: KEYWORDS_MAX })).map(toKeywordView)
  }
})
