import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { RULE_PATTERNS } from './faults.ts'
import { MAGIC_NUMBERS } from './magic-numbers.ts'
import { Phones } from './phones.ts'
import { type Smsc, startSmsc } from './smsc.ts'

/*
 * `npm run simulator -- --port 2775 --faults faults.txt`: the sandbox carrier alone, for whoever has a client to try. Rules
 * typed on its input apply at once.
 */

const STATS_INTERVAL_MS = 10_000

try {
  run(await start())
} catch (error) {
  say(`The simulator can't start: ${reasonOf(error)}`)
  process.exitCode = 1
}

async function start(): Promise<Smsc> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '2775' },
      host: { type: 'string', default: '127.0.0.1' },
      faults: { type: 'string' }
    }
  })
  return startSmsc({
    port: Number(values.port),
    host: values.host,
    faults: values.faults === undefined ? '' : await readFile(values.faults, 'utf8'),
    phones: new Phones(),
    log: say
  })
}

function run(smsc: Smsc): void {
  introduce(smsc)
  const timer = printStats(smsc)
  const input = createInterface({ input: process.stdin })
  input.on('line', (line) => obey(smsc, line))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      clearInterval(timer)
      input.close()
      process.stdin.destroy() // A terminal that is still read keeps the process alive.
      await smsc.stop()
      say('stopped')
    })
  }
}

function introduce({ host, port }: Smsc): void {
  say('Bind with any system_id and password; every number receives. Those that do more are +33 6 39 98 xx and then:')
  for (const [digits, { description }] of Object.entries(MAGIC_NUMBERS)) say(`  ${digits}  ${description}`)
  say('Type a fault rule and press Enter: `behave` ends them all, `help` lists them.')
  // Other programs wait for this line and read the address from it.
  say(`running at smpp://${host}:${port}`)
}

function printStats({ stats }: Smsc): NodeJS.Timeout {
  let printed = JSON.stringify(stats)
  return setInterval(() => {
    const current = JSON.stringify(stats)
    if (current === printed) return
    printed = current
    const counts = Object.entries(stats).filter(([, count]) => count > 0)
    say(counts.map(([name, count]) => `${name} ${count}`).join(' · '))
  }, STATS_INTERVAL_MS)
}

function obey(smsc: Smsc, line: string): void {
  if (line.trim() === 'help') {
    say(RULE_PATTERNS.join('\n'))
    return
  }
  try {
    smsc.apply(line)
    if (line.trim() !== '') say('done')
  } catch (error) {
    say(reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
