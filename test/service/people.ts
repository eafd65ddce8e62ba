import { insertMembership } from '../../src/people/memberships.store.ts'
import { hashPassword } from '../../src/people/passwords.ts'
import { findPersonByEmail, insertPerson } from '../../src/people/people.store.ts'
import type { Role } from '../../src/people/role.ts'
import { openSession } from '../../src/people/sessions.ts'
import { createTokens } from '../../src/people/tokens.ts'
import type { ApiClient } from './api-client.ts'
import type { TestService } from './service.ts'

/** A person of an account, who is logged in. */
export interface TestPerson extends ApiClient {
  id: number
  email: string
  /** A session on another account that the person is on. */
  onAccount(accountId: number): Promise<ApiClient>
}

export const PASSWORD = 'password of everybody here'
let passwordHash: Promise<string> | undefined
let people = 0

/** Puts a person on an account and logs them in; a new person, unless the email is known. */
export async function addPerson(
  service: Pick<TestService, 'pool' | 'anonymous' | 'dataFolder'>,
  { accountId, role, email = `member${++people}@test.example` }: { accountId: number; role: Role; email?: string }
): Promise<TestPerson> {
  const { pool, anonymous, dataFolder } = service
  passwordHash ??= hashPassword(PASSWORD, 'test')
  const names = { firstName: '', lastName: '', phoneNumber: '' }
  const person =
    (await findPersonByEmail(pool, email)) ??
    (await insertPerson(pool, { email, passwordHash: await passwordHash, ...names }))
  await pool.begin((sql) => insertMembership(sql, { accountId, personId: person.id, role }))
  const tokens = await createTokens(pool, { dataFolder, ttlSeconds: 600 })
  const [row] = await pool<[{ tokenVersion: number }]>`select token_version from people where id = ${person.id}`
  const onAccount = async (accountId: number) => {
    const { token } = await openSession(pool, tokens, {
      person: { id: person.id, ...row },
      accountId,
      origin: { address: '127.0.0.1', agent: 'test' }
    })
    return anonymous.as({ authorization: `Bearer ${token}` })
  }
  return { ...(await onAccount(accountId)), id: person.id, email, onAccount }
}

/** A person by email and password. */
export async function logIn(
  { anonymous }: Pick<TestService, 'anonymous'>,
  given: { email: string; password: string; account_id?: number }
): Promise<ApiClient> {
  const { token } = (await anonymous.expect(200).post('/auth/login', given)).body
  return anonymous.as({ authorization: `Bearer ${token}` })
}
