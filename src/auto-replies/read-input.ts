import { checkSender } from '../compliance/sender.ts'
import { contactFieldOf } from '../contacts/contact-columns.ts'
import type { Database } from '../database/database.ts'
import { type InputProblem, invalidInput } from '../errors.ts'
import { fitText } from '../gsm/typography.ts'
import type { Caller } from '../http/caller.ts'
import { withoutPrefix } from '../phone-numbers/without-prefix.ts'
import { isOwnName } from '../sends/content.ts'
import type { LaterSending } from '../sends/depart.ts'
import { readSend } from '../sends/send.ts'
import { isReservedWord, keywordOf } from '../stops/stop-word.ts'
import type { AutoReplyFields } from './auto-replies.store.ts'
import { type AutoReplyInput, KEYWORD_LENGTH_MAX, pauseOf } from './auto-reply.ts'

const SEGMENTS_MAX = 10

/** Checks a rule, and its text and sender as a send of now would be checked. */
export async function readInput(
  database: Database,
  input: AutoReplyInput,
  { caller, sending }: { caller: Caller; sending: Pick<LaterSending, 'routing' | 'linkUrl'> }
): Promise<AutoReplyFields> {
  const { name, content, is_on: isOn = true } = input
  const number = input.number === undefined || input.number === null ? null : withoutPrefix(input.number)
  const sender = input.sender ?? null
  const problems: InputProblem[] = input.keywords.flatMap(keywordProblems)
  if (name.trim() === '') problems.push({ path: 'name', message: 'must not be empty' })
  if (number !== null && !/^\S+$/.test(number)) {
    problems.push({ path: 'number', message: 'must be a number or an agent that people write to, such as 36111' })
  }
  if (fitText(content, caller).segments > SEGMENTS_MAX) {
    problems.push({ path: 'content', message: `must have at most ${SEGMENTS_MAX} segments` })
  }
  const { routing, linkUrl } = sending
  const { country } = caller
  const badSender = sender === null ? undefined : checkSender(sender, { country, ourNumbers: routing.ourNumbers })
  if (badSender !== undefined) problems.push({ path: 'sender', message: badSender })
  if (problems.length > 0) throw invalidInput(problems)
  const fields = { content, ...(sender !== null && { sender }) }
  const { variables } = await readSend(database, fields, { caller, author: undefined, routing, linkUrl })
  const unknown = variables.find((variable) => !isOwnName(variable) && contactFieldOf(variable) === undefined)
  if (unknown !== undefined) {
    const message = `must name fields of contacts, such as #prenom#, and not #${unknown}#`
    throw invalidInput([{ path: 'content', message }])
  }
  const keywords = [...new Set(input.keywords.map(keywordOf))]
  return { name, keywords, number, content, sender, pauseSeconds: pauseOf(input), isOn }
}

function keywordProblems(given: string, index: number): InputProblem[] {
  const path = `keywords[${index}]`
  const keyword = keywordOf(given)
  if (/\s/.test(given.trim()) || !/^[\p{L}\p{N}]+$/u.test(keyword) || keyword.length > KEYWORD_LENGTH_MAX) {
    return [{ path, message: `must be one word of 1 to ${KEYWORD_LENGTH_MAX} letters and digits, such as HOURS` }]
  }
  if (isReservedWord(given)) return [{ path, message: `must not be ${keyword}, which has a meaning of its own` }]
  return []
}
