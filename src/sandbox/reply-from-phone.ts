import Type from 'typebox'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { readNumber } from '../phone-numbers/path-number.ts'
import { inboxFrom } from './inbox.ts'
import type { SandboxPhones } from './phones.ts'

/** The short code of the opt-out mention: a phone without a message from the account writes there. */
const SHORT_CODE = '36111'
const CONTENT_MAX = 1_530

export function replyFromPhone(phones: SandboxPhones) {
  return operation({
    route: 'POST /sandbox/phones/{number}/replies',
    id: 'replyFromPhone',
    tag: 'Beyond',
    permission: 'send',
    summary: 'Answer from a virtual phone (sandbox)',
    description:
      'Writes from this phone to the sender of the last message it received from your account, or to the short code of the opt-out mention, the way that message came. What a choice of an RCS says is a tap on it. It comes back as a reply, and as a STOP if it says so.',
    body: Type.Object({ content: Type.String({ minLength: 1, maxLength: CONTENT_MAX }) }),
    answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    example: { body: { content: 'STOP' }, answer: { success: true, message: 'The reply is on its way.' } },
    refusals: {
      invalid_input: 'That is not a phone number.',
      unavailable: 'The sandbox carrier is not connected at the moment.'
    },
    async handle({ caller, params, body, database }) {
      const phone = readNumber(params.number, caller.country)
      const [last] = await inboxFrom(database, phones, { accountId: caller.accountId, phone })
      try {
        phones.reply({ from: phone, to: last?.from ?? SHORT_CODE, content: body.content })
      } catch {
        // It throws only when no carrier is connected.
        throw new Refusal(503, 'unavailable', 'The sandbox carrier is not connected at the moment.', {
          retryAfterSeconds: 1
        })
      }
      return { success: true, message: 'The reply is on its way.' }
    }
  })
}
