import { type RunningChappe, say, timed } from './child.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase } from './cpu-seconds.ts'
import { type Counted, type StatementCounter, sumByStage } from './statements.ts'

/*
 * What some work costs for each message: the CPU of each process, the statements and transactions of the database.
 */

export interface Cost {
  seconds: number
  count: number
  /** CPU seconds. */
  cpu: { chappe: number; postgres: number; bench: number }
  database: Counted
}

export async function measureCost(
  chappe: RunningChappe,
  counter: StatementCounter,
  count: number,
  work: () => Promise<void>
): Promise<Cost> {
  await counter.reset()
  const before = await cpuOf(chappe)
  const { seconds } = await timed(work)
  const after = await cpuOf(chappe)
  const cpu = {
    chappe: after.chappe - before.chappe,
    postgres: after.postgres - before.postgres,
    bench: after.bench - before.bench
  }
  return { seconds, count, cpu, database: await counter.read() }
}

/** The lines of a report, below the line with the rate. */
export function sayCost(cost: Cost, { cpuAim, top }: { cpuAim: number; top: number }): void {
  const { count, cpu, database } = cost
  const micros = (seconds: number) => ((seconds * 1e6) / count).toFixed(0)
  say(
    `  CPU a message: ${micros(cpu.chappe + cpu.postgres)} µs (aim: at most ${cpuAim}), ` +
      `Chappe ${micros(cpu.chappe)} + PostgreSQL ${micros(cpu.postgres)}; the bench itself ${micros(cpu.bench)}`
  )
  say(`  ${describeStatements(cost)}`)
  say(
    `  transactions that write: ${(database.writes / count).toFixed(2)} a message; ` +
      `WAL ${(database.walBytes / count / 1024).toFixed(1)} kB a message`
  )
  for (const { text, calls, executionMs } of (database.statements ?? []).slice(0, top)) {
    say(`    ${executionMs.toFixed(0)} ms, ${calls} calls: ${text.replaceAll(/\s+/g, ' ').slice(0, 160)}`)
  }
}

function describeStatements({ count, database: { statements } }: Cost): string {
  if (!statements) return 'statements were not counted: PostgreSQL has no pg_stat_statements'
  const describe = ({ calls, executionMs }: { calls: number; executionMs: number }) =>
    `${(calls / count).toFixed(2)} (${((executionMs * 1000) / count).toFixed(0)} µs)`
  const sums = [...sumByStage(statements)]
  const all = sums.reduce(
    (total, [, { calls, executionMs }]) => ({
      calls: total.calls + calls,
      executionMs: total.executionMs + executionMs
    }),
    { calls: 0, executionMs: 0 }
  )
  const stages = sums.map(([stage, sum]) => `${stage} ${describe(sum)}`)
  return `statements a message, with their execution: ${describe(all)}: ${stages.join(', ')}`
}

async function cpuOf({ pid, folder }: RunningChappe) {
  const { user, system } = process.cpuUsage()
  return {
    chappe: await cpuSecondsOf(pid),
    postgres: await cpuSecondsOfDatabase(folder),
    bench: (user + system) / 1e6
  }
}
