import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { Phones } from '../../simulator/phones/phones.ts'
import { eventually } from '../checks/eventually.ts'
import { carrierToRbm, type Rbm, startRbm } from '../peers/rbm.ts'
import { type CarriersFile, carriersFile, carrierTo, type Smsc, startSmsc } from '../peers/smsc.ts'
import { startService, type TestAccount, type TestService } from '../service/service.ts'
import { type RecipientSeen, readMessage, type StepSeen, untilReady } from './sending.ts'

export interface RcsOptions {
  /** Fault rules of the RBM platform, and of the SMSC, to begin with. */
  faults?: string
  smscFaults?: string
  /** What the carriers file says besides. Reports are awaited for an hour, unless a test hurries, or says otherwise. */
  rbm?: Record<string, unknown>
  smpp?: Record<string, unknown>
  settings?: Record<string, string>
}

/** The world outside: an RBM platform, an SMSC, phones that have both, and the carriers file that names them. */
export interface RcsWorld {
  rbm: Rbm
  smsc: Smsc
  phones: Phones
  file: CarriersFile
}

export async function startRcsWorld(
  t: TestContext,
  { faults = '', smscFaults = '', rbm: rbmFields = {}, smpp = {} }: RcsOptions = {}
): Promise<RcsWorld> {
  const phones = new Phones()
  const rbm = await startRbm(t, { phones, faults })
  const smsc = await startSmsc(t, { phones, faults: smscFaults })
  const file = await carriersFile(t, [
    carrierTo(smsc, smpp),
    await carrierToRbm(t, rbm, { fallbackDelay: 3_600, ...rbmFields })
  ])
  return { rbm, smsc, phones, file }
}

export interface RcsService extends TestService, RcsWorld {}

/** The service with all its roles, one carrier of SMS and one of RCS, which tells it what happens. Ready. */
export async function startRcs(t: TestContext, options: RcsOptions = {}): Promise<RcsService> {
  const world = await startRcsWorld(t, options)
  const settings = { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: world.file.path, ...options.settings }
  const service = await startService(t, { settings })
  await untilReady(service)
  await tellEvents(world.rbm, service)
  return { ...service, ...world }
}

/** From now on the platform tells this service what happens. */
export async function tellEvents(rbm: Rbm, { url }: Pick<TestService, 'url'>, carrier = 'rcs'): Promise<void> {
  assert.equal(await rbm.setWebhook(`${url}/carriers/rbm/${carrier}/events`), true, 'the challenge is answered')
}

/** Of the range for fiction: `07` has no RCS, `08` is offline. */
export function magic(digits: string, count = 1, { from = 0 } = {}): string[] {
  return Array.from({ length: count }, (_, index) => `+3363998${String(from + index).padStart(2, '0')}${digits}`)
}

export const FALLBACK = { content: 'Bonjour par SMS', sender: 'CHAPPE' }

/** Sends a text, with a fallback, unless the fields say otherwise. */
export async function sendRcs(
  account: TestAccount,
  phones: readonly string[],
  fields: Record<string, unknown> = {}
): Promise<number> {
  const contacts = phones.map((recipient) => ({ recipient }))
  const usual = { type: 'text', data: { text: 'Bonjour' }, contacts, fallback: FALLBACK }
  const { body } = await account.expect(200).post('/messages/rcs', { ...usual, ...fields })
  return body.message_id
}

export interface RcsRecipientSeen extends RecipientSeen {
  channel: 'rcs' | 'sms'
  content: string
  credits_required: number
  read_at: string | null
}

export async function readRcsRecipients(account: TestAccount, id: number): Promise<RcsRecipientSeen[]> {
  return (await account.expect(200).get(`/messages/${id}/recipients/rcs?limit=1000`)).body.items
}

export async function readRcsTimeline(account: TestAccount, id: number, index = 0): Promise<StepSeen[]> {
  const recipient = (await readRcsRecipients(account, id))[index]
  return (await account.expect(200).get(`/messages/${id}/recipients/${recipient?.id}/timeline`)).body
}

/** What happened to a recipient, in one word each. */
export async function readSteps(account: TestAccount, id: number, index = 0): Promise<string[]> {
  return (await readRcsTimeline(account, id, index)).map(({ step }) => step)
}

type Summary = Partial<Record<'waiting' | 'sent' | 'delivered' | 'read' | 'failed' | 'stopped' | 'cancelled', number>>

/** Waits until the recipients of a message are where they are expected to be, all other counts being 0. */
export async function untilRcsSummary(
  account: TestAccount,
  id: number,
  expected: Summary,
  { withinMs = 10_000 } = {}
): Promise<void> {
  const whole = { waiting: 0, sent: 0, delivered: 0, read: 0, failed: 0, stopped: 0, cancelled: 0, ...expected }
  await eventually(async () => assert.deepEqual((await readMessage(account, id)).summary, whole), { withinMs })
}

/** What an account has left: of SMS, then of RCS. */
export async function readBalances(account: TestAccount): Promise<{ sms: number; rcs: number }> {
  const { body } = await account.expect(200).get('/users/credits')
  return { sms: body[0].credits, rcs: body[1].credits }
}

/** How the messages came that a phone got, the first of them first. */
export function channelsOf({ phones }: Pick<RcsWorld, 'phones'>, phone: string): string[] {
  return phones
    .inboxOf(phone)
    .map(({ channel }) => channel)
    .toReversed()
}

/** What is awaited is over now: its next step is due, and not in an hour. */
export async function hurryWaits({ pool }: Pick<TestService, 'pool'>, step: 'report' | 'revoked'): Promise<void> {
  await eventually(async () => {
    const { count } = await pool`update rcs_waits set due_at = now() where step = ${step}`
    assert.ok(count > 0, `somebody waits: ${step}`)
  })
}

/** No report came in time, and none was on its way: all that is awaited falls back now. */
export async function giveUp(service: Pick<TestService, 'pool'>): Promise<void> {
  await hurryWaits(service, 'report')
  await hurryWaits(service, 'revoked')
}

/** All that the platform told us has been looked at; what matches nothing, some times. */
export async function untilEventsDone({ pool }: Pick<TestService, 'pool'>): Promise<void> {
  await eventually(async () => {
    await pool`update rbm_events set next_try_at = now() where next_try_at > now() and tries < 5`
    assert.equal((await pool`select from rbm_events where next_try_at is not null and tries < 5`).length, 0)
  })
}

/** The ids by which the platform knows what was sent to a phone, the first of them first. */
export function rbmIdsOf({ rbm }: RcsWorld, phone: string): string[] {
  return (rbm.received.get(phone) ?? []).map(({ messageId }) => messageId)
}

/** The only one of them. */
export function rbmIdOf(world: RcsWorld, phone: string): string {
  const [id, ...others] = rbmIdsOf(world, phone)
  assert.ok(id !== undefined && others.length === 0, `${phone} was sent ${others.length + 1} messages`)
  return id
}
