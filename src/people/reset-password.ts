import Type from 'typebox'
import { databaseNow, databaseNowMs } from '../database/clock.ts'
import { Refusal } from '../errors.ts'
import { networkOf } from '../http/networks.ts'
import { operation } from '../http/operation.ts'
import { momentInMail } from '../mail/kinds.ts'
import { queueMail } from '../mail/mails.store.ts'
import { hashLinkToken, LinkToken, linkTokenExample } from './link-tokens.ts'
import type { MailedLinks } from './mailed-links.ts'
import { listAccountsOf } from './memberships.store.ts'
import { findReset, takeReset } from './password-resets.store.ts'
import { hashPassword, Password } from './passwords.ts'
import { findPerson, lockPerson, updatePassword } from './people.store.ts'

const NOTICE_VALID_MS = 24 * 60 * 60_000

export const resetPassword = (links: MailedLinks) =>
  operation({
    route: 'POST /auth/password/reset',
    id: 'resetPassword',
    tag: 'Beyond',
    summary: 'Choose a new password by a mailed link',
    description:
      'Sets the password of the person to whom the link was mailed, and ends all sessions of that person. A link works once, within one hour; a newer password ends older links. Log in afterwards.',
    isOpen: true,
    usedLinkRepeats: true,
    bodyBytesMax: 16 * 1024,
    body: Type.Object({ token: LinkToken, password: Password }, { $id: 'PasswordReset' }),
    answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    example: {
      body: { token: linkTokenExample, password: 'a long enough one' },
      answer: { success: true, message: 'The password is changed. Log in with it.' }
    },
    refusals: { state_conflict: 'The link was used already, or it is too old.' },
    async prepare({ body, pool, address }) {
      // Before the hashing, which a stranger could otherwise ask for without a link.
      const reset = await findReset(pool, hashLinkToken(body.token))
      if (!reset) throw usedOrLate()
      return { ...reset, passwordHash: await hashPassword(body.password, networkOf(address)) }
    },
    async handle({ body, prepared: { personId, passwordHash }, database, record }) {
      await database.begin(async (database) => {
        // The first lock: two links of one person, used at once, would otherwise wait for each other.
        await lockPerson(database, personId)
        if (!(await takeReset(database, { personId, tokenHash: hashLinkToken(body.token) }))) throw usedOrLate()
        await updatePassword(database, { personId, passwordHash })
        for (const accountId of await listAccountsOf(database, personId)) {
          const object = { kind: 'person', id: personId }
          await record(database, { accountId, personId, object, changes: { password: 'hidden' } })
        }
        const person = await findPerson(database, personId)
        if (!person || !links.isOn) return
        await queueMail(database, {
          to: person.email,
          kind: 'password-changed',
          language: person.language ?? 'en',
          facts: { at: momentInMail(databaseNow()) },
          accountId: (await links.findFamily(database, personId)) ?? null,
          expiresAt: new Date(databaseNowMs() + NOTICE_VALID_MS)
        })
      })
      return { success: true, message: 'The password is changed. Log in with it.' }
    }
  })

function usedOrLate(): Refusal {
  return new Refusal(409, 'state_conflict', 'This link was used already or is too old; ask for another.')
}
