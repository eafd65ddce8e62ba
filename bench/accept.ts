import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { copyRows } from '../src/database/copy-rows.ts'
import { connect } from '../src/database/database.ts'
import { findEmbeddedServer } from '../src/database/embedded-server.ts'
import {
  API_KEY,
  ask,
  countSuccesses,
  MACHINE,
  phoneNumber,
  say,
  sayMemory,
  startChild,
  timed,
  watchMemory,
  withChappe
} from './child.ts'

/*
 * `npm run bench:accept`: (a) sends of one recipient each, over many connections, as a ratio to a bare Fastify route that
 * reads the same bodies and answers a constant; (b) one send to 100,000 numbers in a body and one to a list of a million, as a
 * ratio to a bare COPY of the same rows into the same table. Full durability, everything through the API.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    recipients: { type: 'string', default: '100000' },
    contacts: { type: 'string', default: '1000000' }
  }
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
const connections = Number(values.connections)
const WARM_UP_SECONDS = 3
const BATCH = 2_000
const CONTENT = 'Bonjour, votre commande est prête.'
/** A different number for each request. */
let sent = 0

const bare = startChild('bare.ts', {})
try {
  // Accepting alone: messages would otherwise be delivered to virtual phones meanwhile, on the same cores.
  await withChappe({ CHAPPE_ADMIN_CREDITS: '100000000', CHAPPE_ROLES: 'api' }, async ({ url, folder }) => {
    await benchSingleSends(await bare.url, url)
    await benchManyRecipients(url, folder)
  })
  say(MACHINE)
} finally {
  await bare.stop()
}

async function benchSingleSends(bareUrl: string, url: string): Promise<void> {
  for (const target of [bareUrl, url]) await measure(target, Math.min(seconds, WARM_UP_SECONDS))
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const reference = await measure(bareUrl, seconds)
    const ours = await measure(url, seconds)
    const ratio = ours.perSecond / reference.perSecond
    ratios.push(ratio)
    say(
      `round ${round}: bare ${reference.perSecond.toFixed(0)}/s, accepted ${ours.perSecond.toFixed(0)}/s ` +
        `(99 % within ${ours.p99Ms} ms), ratio ${ratio.toFixed(2)}`
    )
  }
  ratios.sort((a, b) => a - b)
  const median = ratios[Math.floor(ratios.length / 2)] ?? 0
  say(`single sends, ratio to bare HTTP: median ${median.toFixed(2)} (aim: at least 0.5), ${connections} connections`)
}

async function measure(url: string, duration: number): Promise<{ perSecond: number; p99Ms: number }> {
  const result = await autocannon({
    url: `${url}/messages/sms`,
    method: 'POST',
    connections,
    duration,
    // It looks whether the time is over only this often.
    sampleInt: Math.min(1_000, duration * 1_000),
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
    requests: [
      {
        setupRequest: (request) => ({
          ...request,
          body: JSON.stringify({ recipients: [phoneNumber(sent++)], content: CONTENT })
        })
      }
    ]
  })
  return { perSecond: countSuccesses(result) / result.duration, p99Ms: result.latency.p99 }
}

interface Accepted {
  recipients_count: number
}

async function benchManyRecipients(url: string, folder: string): Promise<void> {
  const recipients = Number(values.recipients)
  const contacts = Number(values.contacts)
  await report('send to numbers in a body', recipients, () =>
    ask<Accepted>(url, '/messages/sms', {
      recipients: Array.from({ length: recipients }, (_, index) => phoneNumber(index)),
      content: CONTENT
    })
  )

  const { id } = await ask<{ id: number }>(url, '/contactlists', { name: 'Bench' })
  const form = new FormData()
  const lines = Array.from({ length: contacts }, (_, index) => `${phoneNumber(index)};Prénom${index}`)
  form.append('contactlist_id', String(id))
  form.append('file', new Blob([`tel;prénom\n${lines.join('\n')}`]), 'contacts.csv')
  await ask(url, '/contacts/file', form)
  await report('send to a list', contacts, () =>
    ask<Accepted>(url, '/messages/sms/contactlist', { contactlist: [id], content: CONTENT })
  )
  await report('send to a list, a text for each', contacts, () =>
    ask<Accepted>(url, '/messages/sms/contactlist', { contactlist: [id], content: `Bonjour #prenom#, ${CONTENT}` })
  )

  async function report(what: string, count: number, work: () => Promise<Accepted>): Promise<void> {
    const hasOwnText = what.endsWith('each')
    const bareSeconds = await copyBare(folder, count, (index) =>
      hasOwnText ? `Bonjour Prénom${index}, ${CONTENT}` : null
    )
    const watched = await watchMemory(url, () => timed(work))
    const { result, seconds } = watched.result
    if (result.recipients_count !== count) throw new Error(`${result.recipients_count} of ${count} were accepted`)
    say(
      `${what}: ${count} recipients, ${(count / seconds).toFixed(0)}/s (${seconds.toFixed(1)} s); bare COPY ` +
        `${(count / bareSeconds).toFixed(0)}/s; ratio to a bare COPY ${(bareSeconds / seconds).toFixed(2)} (aim: at least 0.25)`
    )
    sayMemory(what, watched)
  }
}

/** The same rows into the same table, under an account id that does not exist; removed again. */
async function copyBare(folder: string, count: number, content: (index: number) => string | null): Promise<number> {
  const server = await findEmbeddedServer(folder)
  if (!server) throw new Error('the embedded server does not answer')
  const pool = connect({ url: server, applicationName: 'bench', connectionsMax: 1 })
  await pool`set statement_timeout = 0`
  async function* rows() {
    for (let start = 0; start < count; start += BATCH) {
      yield Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => {
        const position = start + index
        return [-1, -1, position + 1, 1, 1, 'FR', phoneNumber(position), content(position)]
      })
    }
  }
  const columns = ['account_id', 'message_id', 'position', 'segments', 'credits', 'country', 'phone', 'content']
  const { seconds } = await timed(() => copyRows(pool, { table: 'recipients', columns }, rows()))
  await pool`delete from recipients where account_id = -1`
  await pool`vacuum recipients`
  await pool.close(5)
  return seconds
}
