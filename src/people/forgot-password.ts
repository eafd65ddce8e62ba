import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { networkOf } from '../http/networks.ts'
import { operation } from '../http/operation.ts'
import type { MailLanguage } from '../mail/mail.ts'
import { insertAttempt } from './attempts.store.ts'
import { subjectOf, tooMany } from './attempts.ts'
import { LanguageSchema } from './language.ts'
import type { MailedLinks } from './mailed-links.ts'
import { findLoginPerson } from './people.store.ts'
import { makeResetLink } from './reset-links.ts'

/** Of an hour: for one email, and from one network with any emails. */
const PER_EMAIL_MAX = 5
const PER_NETWORK_MAX = 30
/** Far above what the work takes: the time of the answer must not tell whether the email has a person. */
const ANSWER_AFTER_MS = 250

export const forgotPassword = (links: MailedLinks) =>
  operation({
    route: 'POST /auth/password/forgot',
    id: 'forgotPassword',
    tag: 'Beyond',
    summary: 'Ask for a link to choose a new password',
    description: `Mails a link to the person with this email. The answer is the same without such a person. The link works once, within one hour. At most ${PER_EMAIL_MAX} links an hour for one email, and ${PER_NETWORK_MAX} from one network. Without a mail server the answer is a 409: the operator can reset the password.`,
    isOpen: true,
    bodyBytesMax: 16 * 1024,
    body: Type.Object(
      {
        email: Type.String({ minLength: 1, maxLength: 254 }),
        language: Type.Optional(LanguageSchema('The language of the mail, unless the person has chosen one.'))
      },
      { $id: 'PasswordForgotten' }
    ),
    answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    example: {
      body: { email: 'lea@boutique.example' },
      answer: { success: true, message: 'If this email is known here, a link is on its way.' }
    },
    refusals: {
      state_conflict: 'The service has no mail server.',
      rate_limited: 'Too many links were asked for within an hour.'
    },
    // Before the transaction, which an Idempotency-Key would hold open while this waits.
    async prepare({ body, pool, address }) {
      if (!links.isOn) {
        throw new Refusal(409, 'state_conflict', 'This service sends no mail; its operator can reset the password.')
      }
      const answerAt = performance.now() + ANSWER_AFTER_MS
      await limitRequests(pool, { email: body.email, address })
      await mailLink(pool, links, { email: body.email, language: body.language })
      await sleep(Math.max(0, answerAt - performance.now()))
    },
    async handle() {
      return { success: true, message: 'If this email is known here, a link is on its way.' }
    }
  })

async function mailLink(
  pool: Pool,
  links: MailedLinks,
  { email, language }: { email: string; language: MailLanguage | undefined }
): Promise<void> {
  const known = await findLoginPerson(pool, { email })
  // A person without a password logs in by single sign-on alone.
  if (!known || known.passwordHash === null) return
  await pool.begin((sql) => makeResetLink(sql, links, { personId: known.id, language }))
}

async function limitRequests(pool: Pool, { email, address }: { email: string; address: string }): Promise<void> {
  const who = subjectOf('link for email', email.toLowerCase())
  const from = subjectOf('link for', networkOf(address))
  const counts = await insertAttempt(pool, [who, from], { windowSeconds: 3_600 })
  const passed = counts.find(({ subject, count }) => count > (subject === who ? PER_EMAIL_MAX : PER_NETWORK_MAX))
  if (passed) throw tooMany('Too many links were asked for', passed.secondsLeft)
}
