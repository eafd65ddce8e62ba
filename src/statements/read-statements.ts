import Type from 'typebox'
import { extract } from '../http/extract.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { PDF_LANGUAGE } from '../reports/report-language.ts'
import { findRead, findWholeStatement, listProvisional, READ_ACCOUNT } from './find-statement.ts'
import type { StatementIssuer } from './issuer.ts'
import { readMonth } from './month.ts'
import {
  headExample,
  StatementLine,
  StatementList,
  StatementView,
  statementExample,
  toStatementHead,
  toStatementLines,
  toStatementView
} from './statement.ts'
import { writeStatementPdf } from './statement-pdf.ts'
import { countStatements, listBalances, listStatementsOfPage } from './statements.store.ts'

const refusals = { not_found: 'There is no such account, or no statement of that month.' }

export const listStatements = operation({
  route: 'GET /statements',
  id: 'listStatements',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Statements of credits',
  description:
    'The closed statements of this account, newest first, with their balances, and the months that are not closed yet. A month is closed about an hour after its end, and never changes then.',
  query: Type.Object({ ...PageQuery.properties, ...READ_ACCOUNT }),
  answer: StatementList,
  example: { answer: { ...toPage([headExample], { page: 1, limit: 10, totalItems: 1 }), provisional: ['2026-11'] } },
  refusals,
  async handle({ caller, query: { account: wanted, ...page }, database }) {
    const account = await findRead(database, caller, wanted)
    const totalItems = await countStatements(database, account.id)
    const statements = await listStatementsOfPage(database, account.id, pageWindow({ ...page, totalItems }))
    const months = statements.map(({ month }) => month)
    const balances = Map.groupBy(await listBalances(database, account.id, months), ({ month }) => month)
    const heads = statements.map((closed) => {
      return toStatementHead({ month: closed.month, closed, balances: balances.get(closed.month) ?? [] })
    })
    return { ...toPage(heads, { ...page, totalItems }), provisional: await listProvisional(database, account) }
  }
})

export const readStatement = (issuer: StatementIssuer) =>
  operation({
    route: 'GET /statements/{month}',
    id: 'readStatement',
    tag: 'Beyond',
    permission: 'read',
    summary: 'A statement of credits',
    description:
      'What the account had, got, used and has left, over a month as YYYY-MM: by message type, country, sender and sub-account. A month that is not closed yet is answered as a provisional statement.',
    query: Type.Object(READ_ACCOUNT),
    answer: StatementView,
    example: { answer: statementExample },
    refusals,
    async handle({ caller, params, query, database }) {
      const month = readMonth(params.month)
      const account = await findRead(database, caller, query.account)
      return toStatementView(await findWholeStatement(database, account, month, issuer))
    }
  })

export const extractStatement = (issuer: StatementIssuer) =>
  extract({
    route: 'GET /statements/{month}/extract',
    id: 'extractStatement',
    tag: 'Beyond',
    permission: 'read',
    summary: 'A statement of credits, as lines or PDF',
    description:
      'The lines of a statement, as JSON or, with `Accept: text/csv`, as CSV. With `Accept: application/pdf`, the statement for people.',
    query: Type.Object({ ...READ_ACCOUNT, ...PDF_LANGUAGE }),
    row: StatementLine,
    example: {
      answer: [
        {
          month: '2026-10',
          number: 118,
          msgType: 1,
          kind: 'used',
          subaccount_id: null,
          country: 'FR',
          sender: 'MYSHOP',
          credits: -3_900
        }
      ]
    },
    refusals,
    async *handle({ caller, params, query, database }) {
      const month = readMonth(params.month)
      const account = await findRead(database, caller, query.account)
      yield toStatementLines(await findWholeStatement(database, account, month, issuer))
    },
    pdf: {
      description: 'The statement with the name, the address and the logo of the operator.',
      async write({ caller, params, query, database }) {
        const month = readMonth(params.month)
        const account = await findRead(database, caller, query.account)
        const statement = await findWholeStatement(database, account, month, issuer)
        return writeStatementPdf(toStatementView(statement), { language: query.language, logo: issuer.logo })
      }
    }
  })
