import Type from 'typebox'
import { checkSender, type OurNumbers } from '../compliance/sender.ts'
import { operation } from '../http/operation.ts'
import { isRefused, openFindings } from './findings.ts'
import { FindingView, toFindingView } from './sender.ts'

export const checkSenderName = (numbers: OurNumbers) =>
  operation({
    route: 'GET /senders/check',
    id: 'checkSenderName',
    tag: 'Beyond',
    permission: 'read',
    summary: 'What speaks against a sender',
    description: 'The same findings as a declaration, and nothing is stored. Nobody is asked.',
    query: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 255, description: 'The sender.' }),
      country: Type.Optional(
        Type.String({
          pattern: '^[A-Z]{2}$',
          'x-words': 'two capital letters, such as FR',
          description: 'The country that it is for; the account’s own without it.'
        })
      )
    }),
    answer: Type.Object(
      {
        is_refused: Type.Boolean({ description: 'Whether a declaration would be refused at once.' }),
        problem: Type.String({ description: 'What is wrong with its form; empty for nothing.' }),
        findings: Type.Array(FindingView)
      },
      { $id: 'SenderCheck' }
    ),
    example: { answer: { is_refused: false, problem: '', findings: [] } },
    async handle({ caller, query: { name, country = caller.country }, database }) {
      const { accountId, topLevelId } = caller
      const problem = checkSender(name, { country, ourNumbers: numbers.ourNumbers }) ?? ''
      const findings = (await openFindings(database))({ accountId, topLevelId, name, countries: [country] })
      return {
        is_refused: problem !== '' || findings.some(isRefused),
        problem,
        findings: findings.map((finding) => toFindingView(finding))
      }
    }
  })
