import type { TestContext } from 'node:test'
import { SERVER_TIMINGS, type ServerTimings } from '../../src/smpp-server/timings.ts'
import { startService, type TestAccount, type TestService } from './service.ts'

/** A phone of the sandbox that receives everything. */
export const DELIVERED = '33639980013'
/** Fields of a submit from the account's own sender. */
export const NO_SENDER = { source_addr: '' }

export interface Credentials {
  systemId: string
  password: string
}

export interface Customer {
  service: TestService
  account: TestAccount
  address: { host: string; port: number }
  credentials: Credentials
  credentialId: number
}

let made = 0

/** A service with an SMPP server, and an account that binds to it. */
export async function startCustomer(
  t: TestContext,
  fields: Record<string, unknown> = {},
  { timings = {}, settings = {} }: { timings?: Partial<ServerTimings>; settings?: Record<string, string> } = {}
): Promise<Customer> {
  const service = await startService(t, {
    settings: { CHAPPE_SMPP_PORT: '0', CHAPPE_ROLES: 'all', ...settings },
    smppTimings: { ...SERVER_TIMINGS, pollMs: 50, ...timings }
  })
  const account = await service.newAccount({ credits: 1_000 })
  const { credentials, credentialId } = await newCredentials(account, fields)
  return { service, account, address: addressOf(service), credentials, credentialId }
}

export async function newCredentials(
  account: TestAccount,
  fields: Record<string, unknown> = {}
): Promise<Pick<Customer, 'credentials' | 'credentialId'>> {
  const systemId = `client${++made}`
  const { body } = await account
    .expect(200)
    .post('/smpp/credentials', { system_id: systemId, name: 'Test', current_password: account.password, ...fields })
  return { credentials: { systemId, password: body.password }, credentialId: body.id }
}

export function addressOf({ smpp }: TestService): { host: string; port: number } {
  return { host: '127.0.0.1', port: smpp?.port ?? 0 }
}
