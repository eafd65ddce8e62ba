import { parseArgs } from 'node:util'
import { copyRows } from '../src/database/copy-rows.ts'
import { connect } from '../src/database/database.ts'
import { findEmbeddedServer } from '../src/database/embedded-server.ts'
import { API_KEY, ask, MACHINE, phoneNumber, say, sayMemory, timed, watchMemory, withChappe } from './child.ts'

/*
 * `npm run bench:contacts`: a CSV file with a million contacts into a list, through the API, as a ratio to a bare COPY of the
 * same rows into the same table; then pages of that list, the full extract, and the memory it all took.
 */

const { values } = parseArgs({
  options: { contacts: { type: 'string', default: '1000000' }, pages: { type: 'string', default: '50' } }
})
const count = Number(values.contacts)
const pages = Number(values.pages)
const COLUMNS = ['phone', 'last_name', 'first_name', 'email', 'city']
const BATCH = 2_000

/** In no order, as in a real file. */
const contact = (index: number) => [
  phoneNumber(index),
  `Martin${index}`,
  'Léa',
  `lea.martin${index}@exemple.fr`,
  'Lyon'
]

await withChappe({}, async ({ url, folder }) => {
  const headers = { 'x-api-key': API_KEY }
  const list = await ask<{ id: number }>(url, '/contactlists', { name: 'Bench' })

  const bareSeconds = await copyBare(folder)
  const file = new Blob([['tel;nom;prénom;email;ville', ...lines()].join('\n')])
  const form = new FormData()
  form.append('contactlist_id', String(list.id))
  form.append('file', file, 'contacts.csv')
  const imported = await watchMemory(url, () => timed(() => ask<{ added: number }>(url, '/contacts/file', form)))
  const { result, seconds } = imported.result
  if (result.added !== count) throw new Error(`${result.added} of ${count} contacts were added`)
  say(
    `import: ${rate(count, seconds)} contacts/s (${seconds.toFixed(1)} s, ${(file.size / 1e6).toFixed(0)} MB of CSV); ` +
      `bare COPY: ${rate(count, bareSeconds)} rows/s; ratio to a bare COPY ${(bareSeconds / seconds).toFixed(2)} (aim: at least 0.3)`
  )
  sayMemory('import', imported)

  const last = Math.ceil(count / 10)
  const [firstMs, lastMs] = [await medianMs(1), await medianMs(last)]
  say(
    `page 1: ${firstMs.toFixed(2)} ms, page ${last}: ${lastMs.toFixed(2)} ms (medians of ${pages}); ratio of the last page to the first ` +
      `${(lastMs / firstMs).toFixed(2)} (aim: at most 2)`
  )

  for (const accept of ['application/json', 'text/csv']) {
    const extracted = await watchMemory(url, () => timed(() => drain(accept)))
    const { result: bytes, seconds } = extracted.result
    say(`extract as ${accept}: ${rate(count, seconds)} contacts/s, ${(bytes / 1e6 / seconds).toFixed(0)} MB/s`)
    sayMemory('extract', extracted)
  }
  say(MACHINE)

  async function medianMs(page: number): Promise<number> {
    const times: number[] = []
    for (let turn = 0; turn < pages; turn++) {
      const { seconds } = await timed(() => ask(url, `/contactlists/${list.id}/contacts?page=${page}`))
      times.push(seconds * 1000)
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
  }

  async function drain(accept: string): Promise<number> {
    const answer = await fetch(`${url}/contactlists/${list.id}/contacts-extract`, { headers: { ...headers, accept } })
    let bytes = 0
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length
    return bytes
  }
})

/** The same rows into the same table, under account and list ids that do not exist; removed before the import begins. */
async function copyBare(folder: string): Promise<number> {
  const server = await findEmbeddedServer(folder)
  if (!server) throw new Error('the embedded server does not answer')
  const pool = connect({ url: server, applicationName: 'bench', connectionsMax: 1 })
  async function* rows() {
    for (let start = 0; start < count; start += BATCH) {
      yield Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => [
        -1,
        -1 - start - index,
        -1,
        ...contact(start + index)
      ])
    }
  }
  const columns = ['account_id', 'id', 'list_id', ...COLUMNS]
  await pool`set statement_timeout = 0`
  const { seconds } = await timed(() => copyRows(pool, { table: 'contacts', columns }, rows()))
  await pool`truncate contacts`
  await pool.close(5)
  return seconds
}

function* lines(): Generator<string> {
  for (let index = 0; index < count; index++) yield contact(index).join(';')
}

function rate(amount: number, seconds: number): string {
  return (amount / seconds).toFixed(0)
}
