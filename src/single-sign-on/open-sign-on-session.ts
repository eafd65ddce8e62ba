import Type, { type Static } from 'typebox'
import { listLoginAccounts, updateLastLogin } from '../accounts/accounts.store.ts'
import { refusalOf } from '../accounts/standing.ts'
import { databaseNow } from '../database/clock.ts'
import type { Pool, Sql } from '../database/database.ts'
import { invalidInput, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { checkPassword } from '../people/check-password.ts'
import { findLoginPerson, type LoginPerson } from '../people/people.store.ts'
import { addPerson } from '../people/person.ts'
import { openSession } from '../people/sessions.ts'
import type { Tokens } from '../people/tokens.ts'
import { factorFields, factorRefusal, passSecondFactor } from '../second-factors/pass-second-factor.ts'
import type { FindSite, Site } from '../second-factors/site.ts'
import { hashOf, readBrowser } from './browser-cookie.ts'
import { type FollowedChange, followGroups } from './follow-groups.ts'
import { rolesOf } from './groups.ts'
import type { ProviderSettings, SignedOn } from './provider.ts'
import { deleteTicket, findPersonOf, findTicket, insertIdentity } from './sign-on.store.ts'

const Exchange = Type.Object(
  {
    ticket: Type.String({ minLength: 1, maxLength: 64, description: 'From the fragment of the address.' }),
    password: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: 'Of the person who has this email here already: once, to connect the two.'
      })
    ),
    ...factorFields
  },
  { $id: 'SignOnTicket' }
)

export const openSignOnSession = (
  tokens: Tokens,
  { findSite, settings }: { findSite: FindSite; settings: Pick<ProviderSettings, 'groups' | 'sessionHours'> }
) =>
  operation({
    route: 'POST /auth/oidc/session',
    id: 'openSignOnSession',
    tag: 'Beyond',
    summary: 'Log in by single sign-on',
    description:
      'Exchanges the ticket that a browser came back with from the OpenID provider for a token. A ticket counts once, for five minutes, in that browser alone. Memberships follow the groups of the person. The session lasts as long as a log-in, and at most `CHAPPE_OIDC_SESSION_HOURS`.',
    isOpen: true,
    bodyBytesMax: 16 * 1024,
    body: Exchange,
    answer: Type.Object(
      {
        token: Type.String({ description: 'The token.' }),
        expiresIn: Type.Number({ description: 'How long it is valid, in seconds.' })
      },
      { $id: 'SignOnSession' }
    ),
    example: {
      body: { ticket: 'Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCB0aWNrZXQ' },
      answer: { token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', expiresIn: 3600 }
    },
    refusals: {
      unauthorized: 'The ticket is wrong, was used before, is too old, or belongs to another browser.',
      second_factor_required: factorRefusal,
      forbidden: 'No group gives the person an account here, or the provider does not vouch for the email.',
      account_suspended: 'The account is suspended or closed; the sentence says why.',
      rate_limited: 'As for a log-in.'
    },
    async prepare({ body, pool, address, agent, origin, headers, record }) {
      const ticketHash = hashOf(body.ticket)
      const signedOn = await findTicket(pool, { ticketHash, browserHash: hashOf(readBrowser(headers) ?? '') })
      if (!signedOn) throw wrongTicket()
      const personId = await findOwner(pool, signedOn, { body, address, site: findSite(origin) })
      if (!(await deleteTicket(pool, ticketHash))) throw wrongTicket()
      // Committed before anything is refused: whoever has lost their last group loses their sessions too.
      const admitted = await pool.begin(async (sql) => {
        const person = await admit(sql, signedOn, { personId, settings })
        for (const change of person?.changes ?? []) await record(sql, toAct(change, person?.personId))
        return person
      })
      const person = admitted && (await findLoginPerson(pool, { id: admitted.personId }))
      if (!person) throw noAccount()
      const accountId = await chooseAccount(pool, person)
      const lasting = { signedOnAt: databaseNow(), ttlSeconds: settings.sessionHours * 3_600 }
      return { person, accountId, origin: { address, agent }, ...lasting }
    },
    async handle({ prepared, database, record }) {
      return database.begin(async (database) => {
        await updateLastLogin(database, prepared.accountId)
        await record(database, { accountId: prepared.accountId, personId: prepared.person.id })
        return openSession(database, tokens, prepared)
      })
    }
  })

/**
 * The person that this identity is, or is to be connected with; undefined for somebody new. An email alone never connects:
 * a provider may let people write any email. The password of the person here is needed once.
 */
async function findOwner(
  pool: Pool,
  signedOn: SignedOn,
  { body, address, site }: { body: Static<typeof Exchange>; address: string; site: Site }
): Promise<number | undefined> {
  const known = await findPersonOf(pool, signedOn)
  if (known !== undefined) return known
  if (!signedOn.isEmailVerified || signedOn.email === '') {
    throw new Refusal(403, 'forbidden', 'The provider does not say that your email is verified.')
  }
  const person = await findLoginPerson(pool, signedOn)
  if (!person) return undefined
  if (body.password === undefined) {
    throw invalidInput([{ path: 'password', message: 'is missing: somebody has this email here; log in as them once' }])
  }
  const attempt = { person, email: person.email, address, password: body.password }
  if (!(await checkPassword(pool, attempt))) throw invalidInput([{ path: 'password', message: 'is wrong' }])
  await passSecondFactor(pool, { personId: person.id, address, site, given: body })
  return person.id
}

/** Connects or makes the person, and gives them the memberships of their groups. Undefined for a stranger without any. */
async function admit(
  sql: Sql,
  signedOn: SignedOn,
  { personId: owner, settings }: { personId: number | undefined; settings: Pick<ProviderSettings, 'groups'> }
): Promise<{ personId: number; changes: FollowedChange[] } | undefined> {
  const roles = rolesOf(signedOn.groups, settings.groups)
  if (owner === undefined && roles.size === 0) return undefined
  const personId = owner ?? (await makePerson(sql, signedOn))
  if ((await findPersonOf(sql, signedOn)) === undefined) await insertIdentity(sql, { ...signedOn, personId })
  return { personId, changes: await followGroups(sql, personId, roles) }
}

/** Without a password: this person logs in by single sign-on alone. */
async function makePerson(sql: Sql, { email, firstName, lastName }: SignedOn): Promise<number> {
  const { id } = await addPerson(sql, { email, passwordHash: null, firstName, lastName, phoneNumber: '' })
  return id
}

async function chooseAccount(pool: Pool, { id }: LoginPerson): Promise<number> {
  const accounts = await listLoginAccounts(pool, id)
  const open = accounts.find(({ standing }) => standing === 'open')
  if (open) return open.id
  throw (accounts[0] && refusalOf(accounts[0])) ?? noAccount()
}

function toAct({ accountId, before, after }: FollowedChange, personId: number | undefined) {
  return {
    accountId,
    ...(personId !== undefined && { personId, object: { kind: 'person', id: personId } }),
    changes: { role: [before, after] as const }
  }
}

function wrongTicket(): Refusal {
  return new Refusal(401, 'unauthorized', 'This log-in is over, or began in another browser: start again.')
}

function noAccount(): Refusal {
  return new Refusal(403, 'forbidden', 'None of your groups has an account here: ask the operator of this service.')
}
