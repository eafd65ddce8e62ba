import Type from 'typebox'
import type { Account } from '../accounts/account.ts'
import { Email } from '../accounts/account.ts'
import { findAccount, lockAccount } from '../accounts/accounts.store.ts'
import { NO_MORE, refuseGiving } from '../accounts/key.ts'
import { refuseAbove } from '../accounts/limits.ts'
import { hasMemberWithEmail, listMembers } from '../accounts/members.store.ts'
import { limitTakenEmails, TOO_MANY_TAKEN } from '../accounts/taken-emails.ts'
import { databaseNowMs } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { nameInMail } from '../mail/kinds.ts'
import type { MailLanguage } from '../mail/mail.ts'
import { queueMail } from '../mail/mails.store.ts'
import { LanguageSchema } from '../people/language.ts'
import { hashLinkToken, newLinkToken } from '../people/link-tokens.ts'
import type { MailedLinks } from '../people/mailed-links.ts'
import { findPerson, findPersonByEmail } from '../people/people.store.ts'
import { ROLES, RoleSchema } from '../people/role.ts'
import { proveCaller } from '../second-factors/prove-again.ts'
import { Proof } from '../second-factors/second-factor.ts'
import {
  type Invitation,
  InvitationWithLinkView,
  invitationExample,
  toInvitationView,
  VALID_DAYS
} from './invitation.ts'
import { countInvitations, countOfFamily, insertInvitation } from './invitations.store.ts'

const OPEN_MAX = 50
/** Withdrawn ones count too: an account must not mail strangers again and again, */
const A_DAY_MAX = 100
/** nor do so through its sub-accounts, */
const A_DAY_OF_FAMILY_MAX = 1_000
/** nor mail one stranger all day. */
const A_DAY_TO_EMAIL_MAX = 10

export const invitePerson = (links: MailedLinks) =>
  operation({
    route: 'POST /people/invitations',
    id: 'invitePerson',
    tag: 'Beyond',
    permission: 'people',
    summary: 'Invite a person to my account',
    description: `Mails a link to the person, who accepts it within ${VALID_DAYS} days. Without a mail server the answer has the link, once. At most ${OPEN_MAX} invitations of an account are open, and ${A_DAY_MAX} are made within a day; with its sub-accounts, ${A_DAY_OF_FAMILY_MAX}, of which ${A_DAY_TO_EMAIL_MAX} for one email. To invite an owner, a request with a token needs \`current_password\` or \`code\`.`,
    body: Type.Object(
      {
        email: Email,
        role: RoleSchema,
        ...Proof,
        language: Type.Optional(LanguageSchema('The language of the mail, unless the person has chosen one.'))
      },
      { $id: 'InvitationDto' }
    ),
    answer: InvitationWithLinkView,
    example: {
      body: { email: 'hugo@boutique.example', role: 'sender' },
      answer: { ...invitationExample, is_mailed: true, link: null }
    },
    refusals: {
      ...NO_MORE,
      state_conflict:
        'The person is on the account or has an open invitation, too many invitations are open, or the Idempotency-Key is in use.',
      rate_limited: `The account made ${A_DAY_MAX} invitations within a day, or ${A_DAY_OF_FAMILY_MAX} with its sub-accounts, or ${A_DAY_TO_EMAIL_MAX} for this email. Or without a mail server: ${TOO_MANY_TAKEN} Or ten wrong passwords or codes within a minute.`
    },
    async prepare({ caller, body, pool, address }) {
      // An owner can do everything, and stays when the session is over.
      if (body.role === 'owner') await proveCaller(pool, caller, { address, body })
      // The link, which is then in the hands of the caller, tells whether the email is known here.
      if (!links.isOn) await limitTakenEmails(pool, caller, body.email)
    },
    async handle({ caller, body, database, record }) {
      // A mailed link gets its token when the mail leaves.
      const token = links.isOn ? undefined : newLinkToken()
      const page = `${links.consoleUrl(caller.topLevelId)}/invitation`
      const invitation = await database.begin(async (database) => {
        await lockAccount(database, caller.accountId)
        await refuseGiving(database, caller, ROLES[body.role])
        await refuseUnlessNew(database, caller, body.email)
        const made = await insertInvitation(database, {
          accountId: caller.accountId,
          email: body.email,
          role: body.role,
          ...(token !== undefined && { tokenHash: hashLinkToken(token) }),
          invitedBy: caller.personId,
          expiresAt: new Date(databaseNowMs() + VALID_DAYS * 86_400_000)
        })
        if (links.isOn)
          await mailInvitation(database, { caller, invitation: made, link: page, language: body.language })
        await record(database, {
          object: { kind: 'invitation', id: made.id },
          changes: { email: [null, body.email], role: [null, body.role] }
        })
        return made
      })
      return {
        ...toInvitationView(invitation),
        is_mailed: links.isOn,
        link: token === undefined ? null : `${page}#${token}`
      }
    }
  })

/** Under the lock of the account, so that two invitations made at once are counted one after the other. */
async function refuseUnlessNew(sql: Sql, { accountId, topLevelId, ownLimits }: Caller, email: string): Promise<void> {
  const wanted = { accountId, email }
  if (await hasMemberWithEmail(sql, wanted)) throw conflict('This person is on the account already.')
  const { open, ofDay, isInvited } = await countInvitations(sql, wanted)
  if (isInvited) throw conflict('This person has an open invitation already: withdraw it to send another.')
  const count = 1 + (await listMembers(sql, accountId)).length + open
  refuseAbove(ownLimits.people, count, 'people, open invitations included')
  if (open >= OPEN_MAX) throw conflict(`At most ${OPEN_MAX} invitations can be open: withdraw some first.`)
  if (ofDay >= A_DAY_MAX) throw tooManyToday(`The account made ${A_DAY_MAX} invitations within a day`)
  const family = await countOfFamily(sql, { topLevelId, email })
  if (family.ofDay >= A_DAY_OF_FAMILY_MAX) {
    throw tooManyToday(`The account, with those above and below, made ${A_DAY_OF_FAMILY_MAX} invitations within a day`)
  }
  if (family.toEmail >= A_DAY_TO_EMAIL_MAX) {
    throw tooManyToday(`This email was invited ${A_DAY_TO_EMAIL_MAX} times within a day`)
  }
}

function tooManyToday(what: string): Refusal {
  return new Refusal(429, 'rate_limited', `${what}: wait until tomorrow.`, { retryAfterSeconds: 86_400 })
}

async function mailInvitation(
  sql: Sql,
  {
    caller,
    invitation,
    link,
    language
  }: { caller: Caller; invitation: Invitation; link: string; language: MailLanguage | undefined }
): Promise<void> {
  const account = (await findAccount(sql, caller.accountId)) as Account
  const inviter = caller.personId === null ? undefined : await findPerson(sql, caller.personId)
  const invited = await findPersonByEmail(sql, invitation.email)
  const company = nameInMail(account.socialReason || account.email)
  await queueMail(sql, {
    to: invitation.email,
    kind: 'invitation',
    language: invited?.language ?? language ?? inviter?.language ?? 'en',
    facts: { company, inviter: nameInMail(invitation.inviter || company), link, days: String(VALID_DAYS) },
    accountId: caller.accountId,
    opens: invitation.id,
    expiresAt: invitation.expiresAt
  })
}

function conflict(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}
