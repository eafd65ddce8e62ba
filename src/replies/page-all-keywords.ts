import Type, { type Static } from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, Paginated, toPage } from '../http/paging.ts'
import { KeywordView, keywordExample, type OwnedKeyword } from './keyword.ts'
import { countAllKeywords, pageAllKeywords as pageRows } from './keywords.store.ts'

/** Without what the account writes: the operator decides by the number and the word. */
const OwnedKeywordView = Type.Object(
  {
    account_id: Type.Integer({ description: 'The account that has the word.' }),
    ...Type.Pick(KeywordView, ['id', 'number', 'keyword', 'created_at']).properties
  },
  { $id: 'OwnedConsentKeyword' }
)

function toView(keyword: OwnedKeyword): Static<typeof OwnedKeywordView> {
  const { accountId, id, number, keyword: word, createdAt } = keyword
  return { account_id: accountId, id, number, keyword: word, created_at: createdAt.toISOString() }
}

const { id, number, keyword, created_at } = keywordExample
const example: Static<typeof OwnedKeywordView> = { account_id: 12, id, number, keyword, created_at }

export const pageAllKeywords = operation({
  route: 'GET /consent-keywords',
  id: 'pageAllKeywords',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Keywords of all accounts (operator)',
  description: 'The keywords for consent on every number, by number and word.',
  query: Type.Object({
    ...PageQuery.properties,
    search: Type.Optional(Type.String({ maxLength: 20, description: 'A part of the word, or a number.' }))
  }),
  answer: Paginated(OwnedKeywordView, 'OwnedConsentKeywords'),
  example: { answer: toPage([example], { page: 1, limit: 10, totalItems: 1 }) },
  refusals: OPERATOR_ONLY,
  async handle({ caller, query: { page, limit, search }, database }) {
    refuseUnlessOperator(caller)
    const wanted = search?.trim() || undefined
    const [totalItems, keywords] = await Promise.all([
      countAllKeywords(database, wanted),
      pageRows(database, { search: wanted, offset: (page - 1) * limit, limit })
    ])
    return toPage(keywords.map(toView), { page, limit, totalItems })
  }
})
