import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { API_KEY, ask, MACHINE, type RunningChappe, say } from './child.ts'
import { type Cost, measureCost } from './cost.ts'
import { sendSingles, withChappeAt } from './harness.ts'
import { median } from './load.ts'
import { type Smsc, startSmsc } from './smsc.ts'
import { countStatements, type StatementCounter } from './statements.ts'

/*
 * `npm run bench:access`: what permission, limits and audit trail cost a single send. Two Chappes, each with a database
 * and an SMPP server of its own, get the same singles in turn; the reference has none of them, see without-access.ts.
 * First as accounts are by default, without limits, then with limits that are never reached.
 */

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '2000' },
    connections: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '15' }
  }
})
const count = Number(values.messages)
const connections = Number(values.connections)
const rounds = Number(values.rounds)

/** The service as it is, and the reference. */
const SHARE_AIM = 0.1

interface Side {
  name: string
  smsc: Smsc
  chappe: RunningChappe
  counter: StatementCounter
  costs: Cost[]
}

const reference = { NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'without-access.ts'))}` }
await withSide('with', {}, (checked) =>
  withSide('without', reference, async (plain) => {
    for (const side of [checked, plain]) await measure(side) // To warm up.
    await compare(checked, plain, 'permission and audit trail')
    await setLimits(checked.chappe)
    await compare(checked, plain, 'permission, limits and audit trail')
  })
)
say(MACHINE)

async function compare(checked: Side, plain: Side, what: string): Promise<void> {
  for (const side of [checked, plain]) side.costs.length = 0
  for (let round = 0; round < rounds; round++) {
    // Turn about: neither side is always the one that follows the other.
    for (const side of round % 2 === 0 ? [checked, plain] : [plain, checked]) await measure(side)
  }
  report(checked, plain, what)
}

async function setLimits({ url }: RunningChappe): Promise<void> {
  const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' }
  const { id } = await ask<{ id: number }>(url, '/users/me')
  const body = JSON.stringify({ requests_per_second: 100_000, credits_per_day: 100_000_000, messages_per_number: 100 })
  const answer = await fetch(`${url}/accounts/${id}/limits`, { method: 'PUT', headers, body })
  if (answer.status !== 200) throw new Error(`the limits were answered ${answer.status}: ${await answer.text()}`)
}

async function withSide(
  name: string,
  settings: Record<string, string>,
  work: (side: Side) => Promise<void>
): Promise<void> {
  const smsc = await startSmsc()
  try {
    await withChappeAt(
      smsc,
      {},
      async (chappe) => {
        const counter = await countStatements(chappe.folder)
        try {
          await work({ name, smsc, chappe, counter, costs: [] })
        } finally {
          await counter.close()
        }
      },
      { more: settings }
    )
  } finally {
    await smsc.close()
  }
}

async function measure({ smsc, chappe, counter, costs }: Side): Promise<void> {
  costs.push(
    await measureCost(chappe, counter, count, async () => {
      await sendSingles(smsc, chappe.url, { count, connections })
    })
  )
}

function report(checked: Side, plain: Side, what: string): void {
  for (const { name, costs } of [checked, plain]) {
    const seconds = median(costs.map((cost) => cost.seconds))
    const chappe = median(costs.map(({ cpu }) => cpu.chappe))
    const postgres = median(costs.map(({ cpu }) => cpu.postgres))
    say(
      `${name} ${what}: ${(count / seconds).toFixed(0)}/s; CPU a message ` +
        `${micros(chappe + postgres)} µs, Chappe ${micros(chappe)} + PostgreSQL ${micros(postgres)} (median of ${costs.length})`
    )
  }
  say(`of it, PostgreSQL executes entries for ${executedMicros(checked, /audit_entries/)} µs a message`)
  say(`of it, PostgreSQL executes limits for ${executedMicros(checked, /number_hours|credit_days/)} µs a message`)
  const shareOf = (read: (cost: Cost) => number) => {
    const share = median(checked.costs.map((cost, round) => read(cost) / read(plain.costs[round] as Cost))) - 1
    return `${(share * 100).toFixed(1)} %`
  }
  say(
    `cost of ${what}: ${shareOf(({ cpu }) => cpu.chappe + cpu.postgres)} more CPU (aim: less than ${SHARE_AIM * 100} %), ` +
      `Chappe ${shareOf(({ cpu }) => cpu.chappe)}, PostgreSQL ${shareOf(({ cpu }) => cpu.postgres)}; ` +
      `${shareOf(({ seconds }) => seconds)} more time (median of ${rounds} pairs of rounds)`
  )
}

function executedMicros({ costs }: Side, pattern: RegExp): string {
  const executionMs = costs.map(({ database: { statements = [] } }) =>
    statements.filter(({ text }) => pattern.test(text)).reduce((sum, { executionMs }) => sum + executionMs, 0)
  )
  return ((median(executionMs) * 1000) / count).toFixed(1)
}

function micros(seconds: number): string {
  return ((seconds * 1e6) / count).toFixed(0)
}
