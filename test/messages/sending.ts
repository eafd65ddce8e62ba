import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { eventually } from '../checks/eventually.ts'
import { type CarrierEntry, type CarriersFile, carriersFile, type RouteEntry } from '../peers/smsc.ts'
import { startService, type TestAccount, type TestService } from '../service/service.ts'

export interface DeliveringService extends TestService {
  file: CarriersFile
}

/** The service with all its roles, sending through these carriers. Ready, unless it is not waited for. */
export async function startDelivering(
  t: TestContext,
  carriers: CarrierEntry[],
  { routes, isWaitedFor = true }: { routes?: RouteEntry[]; isWaitedFor?: boolean } = {}
): Promise<DeliveringService> {
  const file = await carriersFile(t, carriers, routes)
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: file.path } })
  if (isWaitedFor) await untilReady(service)
  return { ...service, file }
}

export async function untilReady({ url }: Pick<TestService, 'url'>): Promise<void> {
  await eventually(async () => assert.equal((await fetch(`${url}/health/ready`)).status, 200), { withinMs: 20_000 })
}

/** Numbers of phones that simply receive. */
export function mobiles(count: number, prefix = '+336120'): string[] {
  const digits = '+33612000000'.length - prefix.length
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(digits, '0')}`)
}

export async function send(account: TestAccount, fields: Record<string, unknown>): Promise<number> {
  const { body } = await account.expect(200).post('/messages/sms', { content: 'Bonjour', ...fields })
  return body.message_id
}

export const readMessage = async (account: TestAccount, id: number) =>
  (await account.expect(200).get(`/messages/${id}`)).body

export interface RecipientSeen {
  id: number
  recipient: string
  deliver: number
  errorcode: string
  sent_at: string | null
  delivered_at: string | null
}

export async function readRecipients(account: TestAccount, id: number): Promise<RecipientSeen[]> {
  return (await account.expect(200).get(`/messages/${id}/recipients/sms?limit=100`)).body.items
}

export interface StepSeen {
  at: string
  step: string
  detail: string
  carrier: string | null
}

export async function readTimeline(account: TestAccount, id: number, recipient = 0): Promise<StepSeen[]> {
  const recipients = await readRecipients(account, id)
  const path = `/messages/${id}/recipients/${recipients[recipient]?.id}/timeline`
  return (await account.expect(200).get(path)).body
}

/** Waits until the recipients of a message are where they are expected to be: `{delivered: 3}`, all other counts being 0. */
export async function untilSummary(
  account: TestAccount,
  id: number,
  expected: Partial<Record<'waiting' | 'sent' | 'delivered' | 'read' | 'failed' | 'stopped' | 'cancelled', number>>,
  { withinMs = 10_000 } = {}
): Promise<void> {
  const whole = { waiting: 0, sent: 0, delivered: 0, read: 0, failed: 0, stopped: 0, cancelled: 0, ...expected }
  await eventually(async () => assert.deepEqual((await readMessage(account, id)).summary, whole), { withinMs })
}

/** What is in doubt is decided now, and not in a minute. */
export async function decideDoubts({ pool }: Pick<TestService, 'pool'>): Promise<void> {
  await pool`update doubts set due_at = now()`
  await eventually(async () => assert.equal((await pool`select from doubts where due_at <= now()`).length, 0))
}

export async function countDoubts({ pool }: Pick<TestService, 'pool'>): Promise<number> {
  return (await pool`select from doubts`).length
}
