import Type from 'typebox'
import { PERSON_ONLY, refuseKeysAndViewers } from '../accounts/person-only.ts'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { hashLinkToken, LinkToken, linkTokenExample } from '../people/link-tokens.ts'
import { findPerson } from '../people/people.store.ts'
import { JoinedView, joinedExample, NOT_OPEN, toJoinedView } from './invitation.ts'
import { join } from './join.ts'

export const joinAccount = operation({
  route: 'POST /invitations/join',
  id: 'joinAccount',
  tag: 'Beyond',
  permission: 'any',
  summary: 'Accept an invitation while logged in',
  description:
    'Adds the person who asks to the account that the link invites to. The invitation must be for the email of that person. `POST /auth/switch` then leads there.',
  body: Type.Object({ token: LinkToken }, { $id: 'InvitationJoin' }),
  answer: JoinedView,
  example: { body: { token: linkTokenExample }, answer: joinedExample },
  refusals: {
    ...NOT_OPEN,
    forbidden: `${PERSON_ONLY.forbidden} Or the invitation is for another email.`,
    account_suspended: 'The account is suspended or closed; the sentence says why.'
  },
  async handle({ caller, body, database, record }) {
    const { personId } = refuseKeysAndViewers(caller)
    const joined = await database.begin(async (database) => {
      const joined = await join(database, {
        tokenHash: hashLinkToken(body.token),
        async person({ email }) {
          const person = await findPerson(database, personId)
          if (person?.email.toLowerCase() === email.toLowerCase()) return person
          throw new Refusal(403, 'forbidden', 'This invitation is for another person: log in as the one it is for.')
        }
      })
      await record(database, { ...joined.act, isMember: true })
      return joined
    })
    return toJoinedView(joined)
  }
})
