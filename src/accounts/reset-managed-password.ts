import Type from 'typebox'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { insertAttempt } from '../people/attempts.store.ts'
import { subjectOf, tooMany } from '../people/attempts.ts'
import type { MailedLinks } from '../people/mailed-links.ts'
import { findLoginPerson } from '../people/people.store.ts'
import { makeResetLink } from '../people/reset-links.ts'
import { Nullable } from '../schemas/nullable.ts'
import { proveCaller } from '../second-factors/prove-again.ts'
import { Proof } from '../second-factors/second-factor.ts'
import { type FindManaged, findForOperator, findForParent } from './managed-account.ts'
import { findManagedPerson, MANAGED_PERSON, MANAGED_PERSON_OF_OPERATOR, refuseElsewhere } from './managed-person.ts'
import { refuseKeysAndViewers } from './person-only.ts'

/** Of an hour, for one person. */
const LINKS_MAX = 5

export const resetAccountPassword = (links: MailedLinks) =>
  resetManagedPassword(
    {
      route: 'POST /accounts/{id}/people/{person_id}/password/reset',
      id: 'resetAccountPassword',
      summary: 'Let a person of an account choose a new password (operator)',
      refusals: MANAGED_PERSON_OF_OPERATOR
    },
    { find: findForOperator, links }
  )

export const resetSubAccountPassword = (links: MailedLinks) =>
  resetManagedPassword(
    {
      route: 'POST /subaccount/{id}/people/{person_id}/password/reset',
      id: 'resetSubAccountPassword',
      summary: 'Let a person of a sub-account choose a new password',
      refusals: MANAGED_PERSON
    },
    { find: findForParent, links }
  )

function resetManagedPassword<
  Route extends `POST /${'accounts' | 'subaccount'}/{id}/people/{person_id}/password/reset`
>(
  parts: { route: Route; id: string; summary: string; refusals: typeof MANAGED_PERSON },
  { find, links }: { find: FindManaged; links: MailedLinks }
) {
  return operation({
    ...parts,
    refusals: {
      ...parts.refusals,
      state_conflict: `${parts.refusals.state_conflict} Or the person has no password, and logs in by single sign-on.`,
      rate_limited: `${parts.refusals.rate_limited} Or ${LINKS_MAX} links for this person within an hour.`
    },
    tag: 'Beyond',
    permission: 'people',
    description:
      'Mails a link to the person, who chooses a new password with it, once and within an hour; all sessions of the person then end. Without a mail server the answer has the link, once. A link is shown only if all accounts of the person are sub-accounts of the caller, or the caller is the operator. It needs a person who has logged in, with `current_password` or `code`.',
    body: Type.Object(Proof, { $id: 'PasswordResetFromAbove' }),
    answer: Type.Object(
      {
        is_mailed: Type.Boolean({ description: 'Whether the link was mailed to the person.' }),
        link: Nullable(
          Type.String({ description: 'Only without a mail server, and only here: give it to the person.' })
        ),
        expires_at: Type.String({ format: 'date-time' })
      },
      { $id: 'PasswordLink' }
    ),
    example: {
      body: { current_password: 'correct horse battery' },
      answer: { is_mailed: true, link: null, expires_at: '2026-11-15T10:30:00.000Z' }
    },
    async prepare({ caller, body, pool, address }) {
      refuseKeysAndViewers(caller)
      await proveCaller(pool, caller, { address, body })
    },
    async handle({ caller, params, database, record }) {
      const { id, person_id: personId } = params as { id: number; person_id: number }
      const { link, expiresAt } = await database.begin(async (database) => {
        const { account, person } = await findManagedPerson(database, caller, { id, personId, find })
        if (!links.isOn) await refuseElsewhere(database, caller, person)
        if ((await findLoginPerson(database, { id: personId }))?.passwordHash == null) throw noPassword()
        const [count] = await insertAttempt(database, [subjectOf('link from above for', String(personId))], {
          windowSeconds: 3_600
        })
        if (count && count.count > LINKS_MAX) throw tooMany('Too many links for this person', count.secondsLeft)
        await record(database, {
          accountId: account.id,
          object: { kind: 'person', id: personId },
          changes: { password_link: 'hidden' }
        })
        return makeResetLink(database, links, { personId })
      })
      return { is_mailed: link === null, link, expires_at: expiresAt.toISOString() }
    }
  })
}

function noPassword(): Refusal {
  return new Refusal(409, 'state_conflict', 'This person has no password, and logs in by single sign-on.')
}
