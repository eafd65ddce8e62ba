import { findOwnCaller } from '../accounts/callers.ts'
import { contactFieldOf } from '../contacts/contact-columns.ts'
import { listContactsByPhone } from '../contacts/contacts.store.ts'
import type { Database } from '../database/database.ts'
import { isFinalRefusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { mayUseNumber } from '../numbers/number-grants.store.ts'
import type { AnswerParts } from '../sends/depart.ts'
import { fromObjects } from '../sends/recipient-sources.ts'
import { readSend, type Send, type SendContext } from '../sends/send.ts'
import { createTakeDue } from '../workers/take-due.ts'
import {
  countSent,
  type DueAnswer,
  deleteAnswersWithoutRule,
  endAnswer,
  lockDueAnswer,
  putOffAnswer
} from './answers.store.ts'

/** Of one rule to one number in a day: two robots that answer each other stop here. */
const ANSWERS_A_DAY_MAX = 10
const PUT_OFF_SECONDS = 60
/** After a longer outage, the person does not expect an answer any more. */
const AGE_SECONDS_MAX = 3_600

/**
 * Sends the answers to replies that a rule fits, each as an SMS of the account. One transaction stores the message, takes the
 * credits and ends the answer: a crash leaves it due, and two processes never send it twice. An answer that is refused says why
 * in the history. It is not tried again, and a reply of more than an hour ago is not answered: a late answer is worse than
 * none.
 */
export function createAnswerReplies({
  pool,
  sending,
  defaults,
  log
}: AnswerParts): () => Promise<{ isMoreDue: boolean }> {
  async function send(database: Database, answer: DueAnswer, caller: Caller): Promise<number | null> {
    const { routing, linkUrl } = sending
    const sender = answer.sender ?? (await senderFor(database, answer, sending))
    const fields = { content: answer.content, ...(sender !== undefined && { sender }) }
    const read = await readSend(database, fields, { caller, author: undefined, routing, linkUrl })
    const recipient = { ...(await valuesOf(database, answer, read)), recipient: answer.phone }
    return (await sending.accept(database, read, fromObjects([recipient], read))).message_id ?? null
  }

  async function work(database: Database, answer: DueAnswer): Promise<void> {
    const { accountId, autoReplyId } = answer
    const caller = await findOwnCaller(database, accountId, defaults)
    const problem = caller ? await findProblem(database, answer) : 'The account is suspended or closed.'
    if (!caller || problem !== undefined) {
      await endAnswer(database, answer, { messageId: null, problem: problem ?? '' })
      return
    }
    try {
      // In a part of its own: a refusal must not undo that the answer is over.
      const messageId = await database.begin((database) => send(database, answer, caller))
      await endAnswer(database, answer, { messageId, problem: null })
    } catch (error) {
      if (!isFinalRefusal(error)) throw error
      log.warn({ account_id: accountId, auto_reply: autoReplyId, reason: error.message }, 'an auto-reply was refused')
      await endAnswer(database, answer, { messageId: null, problem: error.message })
    }
  }

  const putOff = (database: Database, answer: DueAnswer) => putOffAnswer(database, answer, PUT_OFF_SECONDS)
  const answer = createTakeDue({ pool, lock: lockDueAnswer, work, putOff })
  return async () => {
    const result = await answer()
    if (!result.isMoreDue) await deleteAnswersWithoutRule(pool)
    return result
  }
}

async function findProblem(database: Database, answer: DueAnswer): Promise<string | undefined> {
  if (!answer.isOn) return 'The rule is off.'
  if (answer.ageSeconds > AGE_SECONDS_MAX) return 'The reply is more than an hour old.'
  const { inPause, inDay } = await countSent(database, answer)
  if (inPause > 0) return `The number got this answer less than ${answer.pauseSeconds} s before.`
  if (inDay >= ANSWERS_A_DAY_MAX) return `The number got this answer ${ANSWERS_A_DAY_MAX} times within a day.`
  return undefined
}

/** The number that the person wrote to, if the account may send from it; undefined for an agent. */
async function senderFor(
  database: Database,
  { accountId, writtenTo }: DueAnswer,
  { routing }: Pick<SendContext, 'routing'>
): Promise<string | undefined> {
  if (!routing.ourNumbers.has(writtenTo)) return undefined
  return (await mayUseNumber(database, { accountId, number: writtenTo })) ? writtenTo : undefined
}

/** The fields of the person, from the newest contact that has them. */
async function valuesOf(
  database: Database,
  { accountId, phone }: DueAnswer,
  { variables }: Send
): Promise<Record<string, string>> {
  if (variables.length === 0) return {}
  const contacts = await listContactsByPhone(database, { accountId, phone })
  const values = variables.map((variable) => {
    const field = contactFieldOf(variable)
    const value = field && contacts.findLast((contact) => contact[field])?.[field]
    return [variable, value ?? ''] as const
  })
  return Object.fromEntries(values)
}
