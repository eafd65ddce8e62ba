import Type from 'typebox'
import type { Pool, Sql } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Act } from '../http/act.ts'
import { operation } from '../http/operation.ts'
import { checkPassword } from '../people/check-password.ts'
import { findLoginPerson } from '../people/people.store.ts'
import { openSession } from '../people/sessions.ts'
import type { Tokens } from '../people/tokens.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { factorFields, factorRefusal, passSecondFactor } from '../second-factors/pass-second-factor.ts'
import type { FindSite, Site } from '../second-factors/site.ts'
import { listLoginAccounts, updateLastLogin } from './accounts.store.ts'
import { accountsAt, FAMILY_ONLY, ofOthers } from './family-only.ts'
import { LoginAnswer, loginExample } from './login-answer.ts'
import { refusalOf } from './standing.ts'

export const login = (tokens: Tokens, findSite: FindSite) =>
  operation({
    route: 'POST /auth/login',
    id: 'login',
    tag: 'auth',
    summary: 'Log in',
    description:
      'Exchanges an email and a password for a token, to be sent as `Authorization: Bearer <token>`. A person with a second factor gets a 401 with `second_factor_required`, and asks again with `code` or `passkey`. After ten failures for one email within a minute, log-ins for that email are a 429 until the minute is over. After ten failures from one address, with any emails, log-ins from that address are answered more slowly.',
    isOpen: true,
    // A stranger may send this body, so its limit is low.
    bodyBytesMax: 16 * 1024,
    body: Type.Object(
      {
        email: Type.String({ maxLength: 254 }),
        password: Type.String({ maxLength: 1024 }),
        account_id: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: ID_MAX,
            description:
              'The account to log in to, for a person who is on several. Without it, the one that the person holds, or the oldest.'
          })
        ),
        ...factorFields
      },
      { $id: 'LoginUserDto' }
    ),
    answer: LoginAnswer,
    example: {
      body: { email: 'admin@chappe.local', password: 'correct horse battery' },
      answer: loginExample
    },
    refusals: {
      ...FAMILY_ONLY,
      unauthorized: 'The email or the password is wrong, or the person is not on the account that is named.',
      second_factor_required: factorRefusal,
      account_suspended: 'The account is suspended or closed; the sentence says why.',
      rate_limited:
        'Ten log-ins for this email have failed within a minute, or too many from this address wait for their answer.'
    },
    async prepare({ body, pool, address, agent, origin, record }) {
      const person = await findLoginPerson(pool, body)
      const isRight = await checkPassword(pool, { person, email: body.email, address, password: body.password })
      // The same answer for a wrong email and a wrong password: it must not tell which emails have an account.
      if (person && !isRight) noteFailure(pool, person.id, record)
      if (!person || !isRight) throw wrong()
      const site = findSite(origin)
      const factor = { personId: person.id, address, site, given: body }
      await passSecondFactor(pool, factor).catch((error) => {
        if (body.code !== undefined || body.passkey !== undefined) noteFailure(pool, person.id, record)
        throw error
      })
      const accountId = await chooseAccount(pool, person.id, { named: body.account_id, site })
      return { person, accountId, origin: { address, agent } }
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
 * Notes a wrong password in the trails of the person's accounts. Nobody waits for it: the time of the answer must not
 * tell that there is such a person.
 */
function noteFailure(pool: Pool, personId: number, record: (sql: Sql, act: Act) => Promise<void>): void {
  const note = async () => {
    for (const { id } of await listLoginAccounts(pool, personId)) {
      await record(pool, { accountId: id, personId, isRefused: true })
    }
  }
  // Without the database there is no log-in either: what is lost is a refusal that had no effect.
  note().catch(() => undefined)
}

/** The account that is named, or the first one of the person that is open. */
async function chooseAccount(
  pool: Pool,
  personId: number,
  { named, site }: { named: number | undefined; site: Site }
): Promise<number> {
  const everywhere = await listLoginAccounts(pool, personId)
  const all = accountsAt(site, everywhere)
  if (all.length === 0 && everywhere.length > 0) throw ofOthers(site)
  const accounts = named === undefined ? all : all.filter(({ id }) => id === named)
  const open = accounts.find(({ standing }) => standing === 'open')
  if (open) return open.id
  throw (accounts[0] && refusalOf(accounts[0])) ?? wrong()
}

function wrong(): Refusal {
  return new Refusal(401, 'unauthorized', 'The email or the password is wrong.')
}
