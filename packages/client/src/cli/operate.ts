import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConnectionError, readError } from '../errors.ts'
import { type Command, OUTPUT_OPTIONS } from './command.ts'
import { connect, readCredentials } from './credentials.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { formOf, printRecord, printRows } from './output.ts'

/* For the operator of a service. */

export const carriers: Command = {
  usage: 'carriers',
  summary: 'The carriers: whether they are up, their binds and last errors (operator)',
  options: OUTPUT_OPTIONS,
  async run({ given }, io) {
    const all = await (await connect(io.env)).call('GET /carriers', {}, { signal: io.signal })
    const form = formOf(given)
    const rows = all.map((carrier) => ({
      ...carrier,
      channels: carrier.channels.join(','),
      bound: carrier.binds.filter(({ state }) => state === 'bound').length,
      in_flight: sum(carrier.processes.map(({ in_flight }) => in_flight)),
      per_second: sum(carrier.processes.map(({ submits_per_second }) => submits_per_second)),
      last_error: carrier.processes.find(({ last_error }) => last_error)?.last_error?.message ?? ''
    }))
    const columns = ['name', 'type', 'channels', 'is_up', 'bound', 'sessions', 'in_flight', 'per_second', 'last_error']
    printRows(io, form === 'json' ? all : rows, form, columns)
    return EXIT.done
  }
}

const sum = (counts: readonly (number | null)[]): number => counts.reduce<number>((all, one) => all + (one ?? 0), 0)

const QUEUE_METRIC =
  /^chappe_(queue_batches|queue_age_seconds|in_doubt|receipts_parked)(?:\{[^}]*lane="(\w+)"[^}]*\})? (\S+)$/

export const queue: Command = {
  usage: 'queue',
  summary: 'What waits to be sent, and for how long (operator)',
  options: OUTPUT_OPTIONS,
  async run({ given }, io) {
    const rows = (await readMetrics(io)).split('\n').flatMap((line) => {
      const [, what, lane = '', value] = QUEUE_METRIC.exec(line) ?? []
      return what === undefined ? [] : [{ what, lane, value: Number(value) }]
    })
    if (rows.length === 0)
      throw new Error('This process has no role delivery, which knows the queue: ask one that has it.')
    printRows(io, rows, formOf(given), ['what', 'lane', 'value'])
    return EXIT.done
  }
}

async function readMetrics(io: Io): Promise<string> {
  const { url, apiKey, token } = await readCredentials(io.env)
  const headers = apiKey === undefined ? { authorization: `Bearer ${token}` } : { 'x-api-key': apiKey }
  const response = await fetch(`${url.replace(/\/+$/, '')}/metrics`, { headers, signal: io.signal }).catch((error) => {
    throw new ConnectionError(`The service could not be reached: ${(error as Error).message}.`, { cause: error })
  })
  if (!response.ok) throw await readError(response)
  return response.text()
}

/** The script of the checkout, which looks into the database itself: the service need not run. */
const LEDGER_SCRIPT = join(import.meta.dirname, '../../../../scripts/check-ledger.ts')

export const checkLedger: Command = {
  usage: 'ledger check',
  summary:
    'Check that the credits of all accounts add up; reads the database of DATABASE_URL or CHAPPE_DATA (operator)',
  async run({ given }, io) {
    if (!existsSync(LEDGER_SCRIPT)) throw new UsageError('ledger check runs only in a checkout of Chappe')
    const child = spawn(process.execPath, [LEDGER_SCRIPT], { env: { ...io.env }, signal: io.signal })
    let found = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      found += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => io.err(text))
    const [code] = (await once(child, 'close')) as [number | null]
    if (formOf(given) === 'json') printRecord(io, { ok: code === 0, findings: found.trimEnd().split('\n') }, 'json')
    else io.out(found)
    return code === 0 ? EXIT.done : EXIT.refused
  }
}
