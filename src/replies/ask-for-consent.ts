import { findOwnCaller } from '../accounts/callers.ts'
import type { Database } from '../database/database.ts'
import { isFinalRefusal } from '../errors.ts'
import type { AnswerParts } from '../sends/depart.ts'
import { fromNumbers } from '../sends/recipient-sources.ts'
import { readSend } from '../sends/send.ts'
import { createTakeDue } from '../workers/take-due.ts'
import { type DueRequest, lockDueRequest, updateRequest } from './consent-requests.store.ts'

const PUT_OFF_MS = 60_000

/**
 * Sends the questions and the thanks of people who wrote a keyword, as SMS of the account that has the keyword. One transaction
 * stores the message and what it was for: nobody is asked twice. A message that is refused ends its request; the person may
 * write the keyword again. A request that fails is passed over for a while, by the process in which it failed.
 */
export function createAskForConsent({
  pool,
  sending,
  defaults,
  log
}: AnswerParts): () => Promise<{ isMoreDue: boolean }> {
  /** Requests that failed, by id, and until when they are passed over: by the monotonic clock. */
  const failed = new Map<number, number>()

  function lock(database: Database, except: readonly number[]) {
    for (const [id, untilMs] of failed) if (performance.now() >= untilMs) failed.delete(id)
    return lockDueRequest(database, { except, passedOver: [...failed.keys()] })
  }

  async function send(database: Database, request: DueRequest): Promise<number | undefined> {
    const { accountId, phone, number, step, question, confirmation } = request
    const content = step === 'ask' ? question : confirmation
    const caller = await findOwnCaller(database, accountId, defaults)
    if (!caller || content === '') return undefined
    const { routing, linkUrl } = sending
    const fields = { content, sender: number }
    const read = await readSend(database, fields, { caller, author: undefined, routing, linkUrl })
    // In a part of its own: a refusal must not undo that the request is over.
    const accepted = await database.begin((database) => sending.accept(database, read, fromNumbers([phone])))
    return accepted.message_id
  }

  async function work(database: Database, request: DueRequest): Promise<void> {
    const { accountId, id, step } = request
    let questionId: number | undefined
    try {
      questionId = await send(database, request)
    } catch (error) {
      if (!isFinalRefusal(error)) throw error
      log.warn({ account_id: accountId, reason: error.message }, 'a keyword could not be answered')
    }
    const isAsked = step === 'ask' && questionId !== undefined
    await updateRequest(database, { accountId, id, step: isAsked ? 'asked' : 'over', questionId })
  }

  return createTakeDue<DueRequest>({
    pool,
    lock,
    work,
    putOff: async (_database, { id }) => void failed.set(id, performance.now() + PUT_OFF_MS)
  })
}
