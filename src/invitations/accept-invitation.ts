import Type, { type Static } from 'typebox'
import { invalidInput, Refusal } from '../errors.ts'
import { networkOf } from '../http/networks.ts'
import { operation } from '../http/operation.ts'
import { checkPassword } from '../people/check-password.ts'
import { LanguageSchema } from '../people/language.ts'
import { hashLinkToken, LinkToken, linkTokenExample } from '../people/link-tokens.ts'
import { hashPassword, Password } from '../people/passwords.ts'
import { findLoginPerson, insertPerson, type LoginPerson } from '../people/people.store.ts'
import { isEmailTaken } from '../people/person.ts'
import { validator } from '../schemas/validate.ts'
import { JoinedView, joinedExample, NOT_OPEN, refuseUnlessOpen, toJoinedView } from './invitation.ts'
import { findInvitation } from './invitations.store.ts'
import { join } from './join.ts'

const Line = Type.Optional(Type.String({ maxLength: 255 }))

const Acceptance = Type.Object(
  {
    token: LinkToken,
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description:
          'Of an email that is known here, its password; of a new one, the password to be, 8 to 128 characters.'
      })
    ),
    firstName: Line,
    lastName: Line,
    language: Type.Optional(LanguageSchema('The language of mails to a new person.'))
  },
  { $id: 'InvitationAcceptance' }
)

/** The person behind the email of an invitation, who has proven themselves, or the hash of a new person's password. */
type Proof = { person: LoginPerson } | { passwordHash: string }

export const acceptInvitation = operation({
  route: 'POST /invitations/accept',
  id: 'acceptInvitation',
  tag: 'Beyond',
  summary: 'Accept an invitation',
  description:
    'A new person chooses a password; a person whose email is known here gives theirs, and names are then ignored. A link works once. Log in afterwards. A person who is logged in uses `POST /invitations/join` instead.',
  isOpen: true,
  usedLinkRepeats: true,
  bodyBytesMax: 16 * 1024,
  body: Acceptance,
  answer: JoinedView,
  example: {
    body: { token: linkTokenExample, password: 'a long enough one', firstName: 'Hugo', lastName: 'Bernard' },
    answer: joinedExample
  },
  refusals: {
    ...NOT_OPEN,
    account_suspended: 'The account is suspended or closed; the sentence says why.',
    rate_limited: 'Ten wrong passwords for this email within a minute, or too many from this address.'
  },
  async prepare({ body, pool, address }): Promise<Proof> {
    const tokenHash = hashLinkToken(body.token)
    const { email } = refuseUnlessOpen(await findInvitation(pool, tokenHash))
    const { password } = body
    if (password === undefined) throw wrongPassword('is missing')
    const person = await findLoginPerson(pool, { email })
    if (!person) return { passwordHash: await hashNew(password, address) }
    if (await checkPassword(pool, { person, email, address, password })) return { person }
    // Of several who accept at once, one may have become this person since.
    refuseUnlessOpen(await findInvitation(pool, tokenHash))
    throw wrongPassword('is wrong')
  },
  async handle({ body, prepared, database, record }) {
    const joined = await database.begin(async (database) => {
      const joined = await join(database, {
        tokenHash: hashLinkToken(body.token),
        person: async ({ email }) =>
          'person' in prepared
            ? prepared.person
            : insertPerson(database, { email, passwordHash: prepared.passwordHash, ...toNames(body) }).catch(
                (error) => {
                  throw isEmailTaken(error) ? knownByNow() : error
                }
              )
      })
      await record(database, joined.act)
      return joined
    })
    return toJoinedView(joined)
  }
})

const validatePassword = validator(Password)

async function hashNew(password: string, address: string): Promise<string> {
  const validation = validatePassword(password)
  if ('problems' in validation) throw wrongPassword(validation.problems[0]?.message ?? 'is wrong')
  return hashPassword(password, networkOf(address))
}

function toNames({ firstName = '', lastName = '', language }: Static<typeof Acceptance>) {
  return { firstName, lastName, phoneNumber: '', language: language ?? null }
}

function wrongPassword(message: string): Refusal {
  return invalidInput([{ path: 'password', message }])
}

/** The refusal when another request made a person with this email a moment ago. */
function knownByNow(): Refusal {
  return new Refusal(409, 'state_conflict', 'This email has a password here by now: accept again with that one.')
}
