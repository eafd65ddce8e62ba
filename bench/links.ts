import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connect } from '../src/database/database.ts'
import { findEmbeddedServer } from '../src/database/embedded-server.ts'
import { ask, MACHINE, phoneNumber, say, startChild, withChappe } from './child.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase } from './cpu-seconds.ts'
import { Measured, type Opened, openLinks } from './open-links.ts'

/*
 * `npm run bench:links`: short links opened by phones, each from an address of its own behind a proxy, as a ratio to a bare
 * Fastify redirect under the same load in the same run. First links of one person each, every one opened once, so that every
 * redirect is a look-up and a click to count; then one link that all share. At the end the counts must be exact.
 */

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '60000' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' }
  }
})
const links = Number(values.links)
const rounds = Number(values.rounds)
const connections = Number(values.connections)
const warmUp = Math.min(links, 20_000)
const recipients = warmUp + links * rounds
const TARGET = 'https://shop.example/winter/sale?from=sms'
const POLL_MS = 20
const COUNT_MAX_MS = 60_000
const TURNS = 10

const bare = startChild('bare.ts', {})
let bareUrl = ''
try {
  bareUrl = await bare.url
  await withChappe(
    { CHAPPE_ROLES: 'api', CHAPPE_ADMIN_CREDITS: '100000000', CHAPPE_TRUSTED_PROXIES: '127.0.0.1', CHAPPE_LOG: 'info' },
    run
  )
  say(`${connections} connections, ${MACHINE}`)
} finally {
  await bare.stop()
}

interface Chappe {
  url: string
  folder: string
  pid: number
}

async function run(chappe: Chappe): Promise<void> {
  const { unique, common } = await prepare(chappe)
  for (const url of [bareUrl, chappe.url]) await open(url, unique.codes.slice(0, warmUp))
  await compare('links of one person each', chappe, (round) => {
    const start = warmUp + (round - 1) * links
    return unique.codes.slice(start, start + links)
  })
  await checkCount(chappe.url, unique.messageId, recipients)
  const same = new Array<string>(links).fill(common.codes[0] ?? '')
  await compare('one link for all', chappe, () => same)
  await checkCount(chappe.url, common.messageId, links)
}

/** In turns of a tenth of a round each, so that other load of the machine affects both alike. */
async function compare(what: string, chappe: Chappe, codesOf: (round: number) => string[]): Promise<void> {
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const codes = codesOf(round)
    const size = Math.ceil(codes.length / TURNS)
    const [reference, ours] = [new Measured(), new Measured()]
    for (let start = 0; start < codes.length; start += size) {
      const turn = codes.slice(start, start + size)
      await reference.add(
        () => open(bareUrl, turn, start),
        async () => [await cpuSecondsOf(bare.child.pid ?? 0)]
      )
      await ours.add(
        () => open(chappe.url, turn, start),
        async () => [await cpuSecondsOf(chappe.pid), await cpuSecondsOfDatabase(chappe.folder)]
      )
    }
    const ratio = reference.seconds / ours.seconds
    ratios.push(ratio)
    say(`${what}, round ${round}: bare ${reference.describe()}; Chappe ${ours.describe()}; ratio ${ratio.toFixed(2)}`)
  }
  ratios.sort((a, b) => a - b)
  const median = ratios[Math.floor(ratios.length / 2)] ?? 0
  say(
    `${what}, ratio to a bare Fastify redirect: median ${median.toFixed(2)}, from ${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)} (aim: at least 0.6)`
  )
}

/** Different people, counted from `first`. */
function open(url: string, codes: readonly string[], first = 0): Promise<Opened> {
  const { host } = new URL(url)
  const rest =
    `HTTP/1.1\r\nhost: ${host}\r\n` +
    'user-agent: Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1\r\n' +
    'accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\naccept-language: fr-FR,fr;q=0.9\r\n' +
    'accept-encoding: gzip, deflate, br\r\nsec-fetch-dest: document\r\nsec-fetch-mode: navigate\r\nx-forwarded-for: '
  return openLinks(url, {
    count: codes.length,
    connections,
    requestOf: (index) => `GET /s/${codes[index]} ${rest}${addressOf(first + index)}\r\n\r\n`
  })
}

/** Different public addresses. */
function addressOf(index: number): string {
  return `${80 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}.7`
}

/** A message with a link for each recipient, and one with a link for all, which seem to have left an hour ago. */
async function prepare({ url, folder }: Chappe) {
  const [unique, common] = [await send(url, 'unique'), await send(url, 'common')]
  const server = await findEmbeddedServer(folder)
  if (!server) throw new Error('the embedded server does not answer')
  const pool = connect({ url: server, applicationName: 'bench', connectionsMax: 1 })
  await pool`set statement_timeout = 0`
  await pool`update recipients set sent_at = now() - interval '1 hour'`
  await pool`vacuum analyze recipients, short_links`
  await pool.close(5)
  return { unique, common }
}

interface Sent {
  messageId: number
  /** One for each recipient, or the one that all share. */
  codes: string[]
}

async function send(url: string, mode: 'unique' | 'common'): Promise<Sent> {
  const form = new FormData()
  form.append('content', 'Bonjour, #SHORTURL#')
  form.append('shorturl[mode]', mode)
  form.append('shorturl[url]', TARGET)
  const lines = Array.from({ length: recipients }, (_, index) => phoneNumber(index))
  form.append('file', new Blob([`tel\n${lines.join('\n')}`]), 'recipients.csv')
  const { message_id: messageId } = await ask<{ message_id: number }>(url, '/messages/sms/file', form)
  const sent = await ask<{ content: string }[]>(url, `/messages/${messageId}/recipients/sms/extract`)
  return { messageId, codes: [...new Set(sent.map(({ content }) => content.split('/').at(-1) ?? ''))] }
}

/** The counts must be exact. */
async function checkCount(url: string, messageId: number, expected: number): Promise<void> {
  const clicked = async () => (await ask<{ clicked: number }>(url, `/messages/${messageId}`)).clicked
  const deadline = Date.now() + COUNT_MAX_MS
  while ((await clicked()) < expected && Date.now() < deadline) await sleep(POLL_MS)
  const counted = await clicked()
  if (counted !== expected) throw new Error(`${counted} clicks were counted of ${expected}`)
  say(`all ${counted} clicks were counted, each once`)
}
