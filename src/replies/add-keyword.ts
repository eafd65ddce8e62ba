import Type from 'typebox'
import { checkSender, type OurNumbers } from '../compliance/sender.ts'
import { type InputProblem, invalidInput, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { mayUseNumber } from '../numbers/number-grants.store.ts'
import { withoutPrefix } from '../phone-numbers/without-prefix.ts'
import { isReservedWord, keywordOf } from '../stops/stop-word.ts'
import { KeywordView, keywordExample, toKeywordView } from './keyword.ts'
import { deleteAnyKeyword, findKeyword, insertKeyword, listKeywords } from './keywords.store.ts'

/** More words than an account needs; each is a look-up of every reply. */
export const KEYWORDS_MAX = 100
const TEXT_MAX = 1_000

export const addKeyword = (numbers: OurNumbers) =>
  operation({
    route: 'POST /consents/keywords',
    id: 'addKeyword',
    tag: 'Beyond',
    permission: 'contacts',
    summary: 'Add a keyword for consent',
    description:
      'A person who writes this word to the number is asked by SMS to confirm. Their YES or OUI stores a consent, with the question as its wording and both replies as its proof. Question and confirmation are sent from that number and charged like any SMS. A word belongs to one account on each number. It answers as long as the account may send from the number.',
    body: Type.Object(
      {
        number: Type.String({
          minLength: 3,
          maxLength: 20,
          description: 'One of the numbers that the account may send from.'
        }),
        keyword: Type.String({ minLength: 2, maxLength: 20, description: 'One word of letters and digits.' }),
        question: Type.String({ minLength: 1, maxLength: TEXT_MAX }),
        confirmation: Type.Optional(Type.String({ maxLength: TEXT_MAX }))
      },
      { $id: 'ConsentKeywordDto' }
    ),
    answer: KeywordView,
    example: {
      body: {
        number: keywordExample.number,
        keyword: keywordExample.keyword,
        question: keywordExample.question,
        confirmation: keywordExample.confirmation
      },
      answer: keywordExample
    },
    refusals: {
      sender_not_allowed: 'The number is granted to other accounts.',
      state_conflict:
        'This number has that word already, or the account has 100 words, or the Idempotency-Key is in use.'
    },
    async handle({ caller: { accountId, country }, body, database, record }) {
      const number = withoutPrefix(body.number)
      const keyword = keywordOf(body.keyword)
      const problems: InputProblem[] = []
      const isOurs = [...numbers.ourNumbers].some((ours) => ours.replace(/^\+/, '') === number)
      if (!isOurs) problems.push({ path: 'number', message: 'must be a number that the carriers file lists' })
      else if (checkSender(body.number.trim(), { country, ourNumbers: numbers.ourNumbers }) !== undefined)
        problems.push({ path: 'number', message: 'must be a number that messages can be sent from' })
      if (!/^[\p{L}\p{N}]{2,20}$/u.test(keyword) || /\s/.test(body.keyword.trim()))
        problems.push({ path: 'keyword', message: 'must be one word of 2 to 20 letters and digits' })
      else if (isReservedWord(keyword))
        problems.push({ path: 'keyword', message: `must not be ${keyword}, which has a meaning of its own` })
      if (body.question.trim() === '') problems.push({ path: 'question', message: 'must not be empty' })
      if (problems.length > 0) throw invalidInput(problems)
      return database.begin(async (database) => {
        if (!(await mayUseNumber(database, { accountId, number }))) {
          const sentence = `The number ${number} is granted to other accounts: ask the operator for it.`
          throw new Refusal(403, 'sender_not_allowed', sentence)
        }
        const known = await listKeywords(database, { accountId, limit: KEYWORDS_MAX })
        if (known.length >= KEYWORDS_MAX)
          throw new Refusal(409, 'state_conflict', `An account may have at most ${KEYWORDS_MAX} keywords.`)
        const { question, confirmation = '' } = body
        const holder = await findKeyword(database, { number, keyword })
        // An account that lost the number does not keep the word from others.
        if (holder && !(await mayUseNumber(database, { accountId: holder.accountId, number })))
          await deleteAnyKeyword(database, holder.id)
        const made = await insertKeyword(database, { accountId, number, keyword, question, confirmation })
        if (!made) throw new Refusal(409, 'state_conflict', `The number ${number} has the keyword ${keyword} already.`)
        await record(database, { object: { kind: 'consent_keyword', id: made.id } })
        return toKeywordView(made)
      })
    }
  })
