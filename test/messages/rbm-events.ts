import { createHmac, randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { readCarriersFile } from '../../src/carriers/carriers-file.ts'
import { toRbmMessageId } from '../../src/carriers/rbm/message-ids.ts'
import { RoutingTable } from '../../src/carriers/routing-table.ts'
import type { LoadLimits } from '../../src/http/overload.ts'
import { insertRcsMessages } from '../../src/messages/rcs-messages.store.ts'
import { createRcsMetrics } from '../../src/rbm-events/metrics.ts'
import { processReplies } from '../../src/rbm-events/process-replies.ts'
import { processReports } from '../../src/rbm-events/process-reports.ts'
import type { RbmEventsParts } from '../../src/rbm-events/rbm-events.ts'
import { notePhones } from '../../src/recipients/phone-accounts.store.ts'
import { POSITIONS } from '../../src/recipients/recipient.ts'
import { carrierToRbm, startRbm } from '../peers/rbm.ts'
import { carriersFile, carrierTo } from '../peers/smsc.ts'
import { startService, type TestService } from '../service/service.ts'

/*
 * Events of the RBM platform as it posts them, and RCS recipients for them to be about, made without sending anything.
 */

export const AGENT = 'brand@rbm.goog'
export const TOKEN = 'SJENCPGJESMGUFPY'
export const PHONE = '+33612000000'

export interface EventService extends TestService {
  parts: RbmEventsParts
  carriersPath: string
  /** Posts an event, signed as it should be. */
  post(data: object): Promise<number>
  /** Works on all that is due, until nothing is. */
  process(): Promise<void>
}

/** The service with an RCS carrier, in which nothing is worked on unless the test says so. */
export async function startEventService(
  t: TestContext,
  { settings = {}, limits }: { settings?: Record<string, string>; limits?: LoadLimits } = {}
): Promise<EventService> {
  const rbm = await startRbm(t, { agentId: AGENT, webhookToken: TOKEN })
  // One that nobody answers at: what goes by SMS is accepted, and stays where it is.
  const sms = carrierTo({ host: '127.0.0.1', port: 1 })
  const { path } = await carriersFile(t, [sms, await carrierToRbm(t, rbm)])
  const service = await startService(t, {
    settings: { CHAPPE_CARRIERS: path, ...settings },
    ...(limits && { limits })
  })
  const parts = {
    pool: service.pool,
    routing: new RoutingTable(readCarriersFile(path)),
    metrics: createRcsMetrics(new Registry(), { pool: service.pool }),
    log: pino({ level: 'info' }, { write: (line) => void service.logLines.push(line) })
  }
  return {
    ...service,
    parts,
    carriersPath: path,
    post: (data) => postEvent(service.url, data),
    async process() {
      while ((await processReports(parts)).isMoreDue);
      while ((await processReplies(parts)).isMoreDue);
    }
  }
}

export function signatureOf(data: string | Buffer, token = TOKEN): string {
  return createHmac('sha512', token).update(data).digest('base64')
}

export function toPush(data: string): object {
  const published = { messageId: '14150481888479752', publishTime: '2026-11-15T09:30:00.000Z' }
  return { message: { data: Buffer.from(data).toString('base64'), ...published }, subscription: 'projects/x' }
}

/** Tells the status. */
export async function postEvent(url: string, data: object, { carrier = 'rcs', token = TOKEN } = {}): Promise<number> {
  const text = JSON.stringify(data)
  const response = await fetch(`${url}/carriers/rbm/${carrier}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-signature': signatureOf(text, token) },
    body: JSON.stringify(toPush(text))
  })
  await response.arrayBuffer()
  return response.status
}

type ReportType = 'DELIVERED' | 'READ' | 'TTL_EXPIRATION_REVOKED' | 'TTL_EXPIRATION_REVOKE_FAILED'

export interface Reported {
  messageId: number
  position?: number
  phone?: string
}

/** A report as the platform writes it. */
export function reportOf(
  eventType: ReportType,
  { messageId, position = 1, phone = PHONE }: Reported,
  fields: Record<string, unknown> = {}
): object {
  const name = eventType.startsWith('TTL') ? 'phoneNumber' : 'senderPhoneNumber'
  return {
    [name]: phone,
    eventType,
    eventId: randomUUID(),
    messageId: toRbmMessageId(messageId * POSITIONS + position, TOKEN),
    agentId: AGENT,
    sendTime: new Date().toISOString(),
    ...fields
  }
}

/** What somebody wrote. */
export function messageOf(text: string, fields: Record<string, unknown> = {}): object {
  return { senderPhoneNumber: PHONE, messageId: randomUUID(), agentId: AGENT, text, ...fields }
}

export function personEventOf(eventType: 'UNSUBSCRIBE' | 'SUBSCRIBE', fields: Record<string, unknown> = {}): object {
  return { senderPhoneNumber: PHONE, eventType, eventId: randomUUID(), agentId: AGENT, ...fields }
}

interface RcsRows {
  accountId: number
  phones?: string[]
  /** Where its recipients are: 2 is sent. */
  state?: number
  channel?: 'sms' | null
  sender?: string
  /** That took them, once they are sent. */
  carrier?: string
  fallbackSender?: string | null
}

/** An RCS message whose recipients are all in one state, with what is kept of each; tells its id. */
export async function insertRcs(
  { pool }: Pick<TestService, 'pool'>,
  {
    accountId,
    phones = [PHONE],
    state = 2,
    channel = null,
    sender = AGENT,
    carrier = 'rcs',
    fallbackSender = null
  }: RcsRows
): Promise<number> {
  const count = phones.length
  const counts = {
    0: 'waiting',
    9: 'waiting',
    1: 'delivered',
    2: 'sent',
    3: 'failed',
    6: 'cancelled',
    7: 'stopped',
    8: 'read'
  }
  const column = `${counts[state as keyof typeof counts]}_count`
  const [row] = await pool<[{ id: number }]>`
    insert into messages (
      account_id, id, channel, category, state, content, sender, scheduled_at, recipients_count, segments_count,
      credits_required, taken_count, ${pool(column)}, created_at
    )
    values (
      ${accountId}, nextval('message_ids'), 'rcs', 'transactional', ${state === 0 || state === 9 ? 'sending' : 'sent'},
      'Bonjour', ${sender}, now() - interval '1 minute', ${count}, 0, ${count}, ${state === 0 || state === 9 ? 0 : count},
      ${count}, now() - interval '2 minutes'
    )
    returning id
  `
  await insertRcsMessages(pool, [
    {
      accountId,
      messageId: row.id,
      type: 'text',
      data: { text: 'Bonjour' },
      fallbackContent: 'Bonjour',
      fallbackSender,
      hasPlainTypography: true,
      priceVersion: null,
      priceFloor: null,
      country: 'FR',
      variables: []
    }
  ])
  await pool`
    insert into recipients (
      account_id, message_id, position, state, segments, credits, country, phone, channel, sent_at, carrier
    )
    select ${accountId}, ${row.id}, position, ${state}, 0, 1, 'FR', phone, ${channel},
      case when ${state}::integer not in (0, 9) then now() - interval '1 minute' end,
      case when ${state}::integer not in (0, 9) then ${carrier}::text end
    from unnest(${phones}::text[]) with ordinality as given (phone, position)
  `
  await notePhones(
    pool,
    phones.map((phone) => ({ accountId, phone }))
  )
  if (state === 2 && channel === null) await insertWaits(pool, row.id)
  return row.id
}

/** For those of a message that are sent. */
export async function insertWaits(pool: TestService['pool'], messageId: number): Promise<void> {
  await pool`
    insert into rcs_waits (account_id, message_id, position, carrier, step, due_at, expires_at, grace_seconds)
    select account_id, message_id, position, 'rcs', 'report', now() + interval '1 hour', now() + interval '1 hour', 5
    from recipients
    where message_id = ${messageId}
  `
}
