import { strict as assert } from 'node:assert'
import { request } from 'node:http'
import { createCodes } from '../../src/short-links/codes.ts'
import { insertShortLinks } from '../../src/short-links/short-links.store.ts'
import { eventually } from '../checks/eventually.ts'
import type { TestAccount, TestService } from '../service/service.ts'
import { mobiles, readMessage, send } from './sending.ts'

export const TARGET = 'https://shop.example/winter'

export const PHONE = {
  'user-agent':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'fr-FR,fr;q=0.9'
}

export interface LinkAnswer {
  status: number
  location: string | undefined
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Opens a link as a phone does, unless it is told to be somebody else. Sends no header but these. */
export function openLink(
  url: string,
  path: string,
  { method = 'GET', headers = PHONE }: { method?: string; headers?: Record<string, string> } = {}
): Promise<LinkAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          location: response.headers.location,
          headers: response.headers,
          text: Buffer.concat(chunks).toString()
        })
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

export interface LinkedMessage {
  id: number
  /** One for each recipient, in their order, or the one that all share. */
  codes: string[]
  phones: string[]
}

/** A message whose recipients have links, and which left an hour ago, or at another time, or not at all. */
export async function sendLinked(
  { pool }: Pick<TestService, 'pool'>,
  account: TestAccount,
  {
    count = 1,
    mode = 'unique',
    url = TARGET,
    sentAt = new Date(Date.now() - 3_600_000)
  }: { count?: number; mode?: 'unique' | 'common'; url?: string; sentAt?: Date | null } = {}
): Promise<LinkedMessage> {
  const phones = mobiles(count)
  const id = await send(account, { recipients: phones })
  const codes = createCodes(mode === 'common' ? 1 : count)
  await pool`update recipients set sent_at = ${sentAt} where message_id = ${id}`
  await insertShortLinks(
    pool,
    codes.map((code, index) => ({
      code,
      accountId: account.id,
      messageId: id,
      position: mode === 'common' ? null : index + 1,
      url,
      dueAt: new Date()
    }))
  )
  return { id, codes, phones }
}

export async function untilClicked(
  account: TestAccount,
  id: number,
  expected: number,
  withinMs = 10_000
): Promise<void> {
  await eventually(async () => assert.equal((await readMessage(account, id)).clicked, expected), { withinMs })
}

/** Whatever was opened so far has been counted, or found not to count. */
export async function untilSettled({ url }: Pick<TestService, 'url'>): Promise<void> {
  await eventually(async () => assert.equal(await readMetric(url, 'chappe_clicks_waiting'), 0), { withinMs: 20_000 })
}

export async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = text.split('\n').find((line) => line.startsWith(`${name} `))
  assert.ok(line, `${name} is not among the metrics`)
  return Number(line.slice(name.length + 1))
}
