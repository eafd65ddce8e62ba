import { randomBytes } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { findOperatorId } from '../accounts/accounts.store.ts'
import { hashApiKey, newApiKey } from '../accounts/api-key.ts'
import { insertApiKey } from '../accounts/api-keys.store.ts'
import { readNetwork } from '../accounts/key-networks.ts'
import { openAccount } from '../accounts/open-account.ts'
import { recordAct } from '../audit/record-act.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { issueCredits } from '../credits/ledger.ts'
import type { Database, Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { hashPassword } from '../people/passwords.ts'
import { validator } from '../schemas/validate.ts'

/*
 * Opens the accounts of a plan. The credentials of an account are kept before its transaction ends: after a crash they
 * are known, or the account does not exist and the next run opens it.
 */

const Plan = Type.Object({
  accounts: Type.Array(
    Type.Object({
      username: Type.String({ minLength: 1, maxLength: 255 }),
      email: Type.String({ format: 'email', maxLength: 254 }),
      social_reason: Type.String({ maxLength: 255 }),
      scopes: Type.Array(Type.Enum(['read', 'send']), { maxItems: 2 }),
      addresses: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 }),
      credits: Type.Integer({ minimum: 0, maximum: 1_000_000_000 })
    }),
    { minItems: 1, maxItems: 10_000 }
  )
})

export type AccountPlan = Static<typeof Plan>['accounts'][number]
const validate = validator(Plan)

/** What a client and its owner need; only this call knows it. */
export interface Credentials {
  /** At the other gateway. */
  formerly: string
  account_id: number
  email: string
  /** To log in to the console. */
  login_password: string
  /** User name and password at the doors; X-APP-ID and X-API-KEY of the API. */
  username: string
  password: string
}

/** The plan of a file, or the problems that it has. */
export function readPlan(text: string): { accounts: AccountPlan[] } | { problems: string[] } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problems: [`is not valid JSON: ${(error as Error).message}`] }
  }
  const validation = validate(value)
  if ('problems' in validation)
    return { problems: validation.problems.map(({ path, message }) => `${path} ${message}`) }
  const { accounts } = validation.value
  const problems = accounts.flatMap(({ addresses }, index) =>
    addresses.flatMap((address, at) =>
      readNetwork(address) ? [] : [`accounts[${index}].addresses[${at}] must be a network, such as 192.0.2.0/24`]
    )
  )
  return problems.length > 0 ? { problems } : { accounts }
}

export type Applied = { kind: 'opened'; credentials: Credentials } | { kind: 'skipped'; reason: string }

/** Opens one account. `keep` stores its credentials, and is called before the account exists. */
export async function applyAccount(
  pool: Pool,
  plan: AccountPlan,
  keep: (credentials: Credentials) => void
): Promise<Applied> {
  const operatorId = await findOperatorId(pool)
  if (operatorId === undefined) return { kind: 'skipped', reason: 'Chappe was never started on this database' }
  const password = randomBytes(15).toString('base64url')
  const passwordHash = await hashPassword(password, 'import')
  try {
    return await pool.begin(async (database) => {
      const credentials = await open(database, plan, { operatorId, password, passwordHash })
      keep(credentials)
      return { kind: 'opened', credentials }
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { kind: 'skipped', reason: error.message }
  }
}

async function open(
  database: Database,
  { username, email, social_reason: socialReason, scopes, addresses, credits }: AccountPlan,
  { operatorId, password, passwordHash }: { operatorId: number; password: string; passwordHash: string }
): Promise<Credentials> {
  const { account, keyPair } = await openAccount(database, {
    parentId: null,
    email,
    passwordHash,
    socialReason,
    country: 'FR'
  })
  const apiKey = newApiKey()
  const keyHash = hashApiKey(apiKey)
  const accountId = account.id
  await insertApiKey(database, {
    accountId,
    name: `Client ${username}`.slice(0, 60),
    keyHash,
    isFirst: false,
    scopes,
    addresses,
    expiresAt: null
  })
  if (credits > 0) {
    const note = 'Taken over by an import.'
    const opening = { accountId, messageType: MESSAGE_TYPES.sms, amount: credits, reason: 'opening' as const, note }
    await issueCredits(database, opening)
  }
  const author = { operation: 'createAccount', personId: null, keyId: null, viewedFrom: null, address: '' }
  const object = { kind: 'account', id: accountId }
  await recordAct(database, { ...author, accountId: operatorId }, { accountId, object })
  return {
    formerly: username,
    account_id: accountId,
    email,
    login_password: password,
    username: keyPair.appId,
    password: apiKey
  }
}
