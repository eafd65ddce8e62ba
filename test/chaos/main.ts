import { parseArgs } from 'node:util'
import type { Policy } from './customers.ts'
import { fullForm, shortForm } from './forms.ts'
import { describeFault, makePlan } from './plan.ts'
import { describeOutcome, isGood } from './report.ts'
import { runChaos } from './run.ts'

/*
 * `npm run test:chaos -- --seed 7 --kills 30 --recipients 20000 --nodes 1 --in-doubt resend,fail`: see docs/chaos.md.
 * `--short` is the form that `npm test` runs; `--plan` only prints what would happen.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    kills: { type: 'string' },
    recipients: { type: 'string' },
    nodes: { type: 'string', default: '1' },
    /** One customer for each. */
    'in-doubt': { type: 'string', default: 'resend,fail' },
    short: { type: 'boolean', default: false },
    plan: { type: 'boolean', default: false }
  }
})

const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const start = Date.now()
const size = {
  seed,
  nodes: Number(values.nodes),
  kills: Number(values.kills ?? (values.short ? 3 : 30)),
  recipients: Number(values.recipients ?? (values.short ? 1_500 : 20_000)),
  policies: values['in-doubt'].split(',') as Policy[],
  say: (line: string) => say(`${String(Math.round((Date.now() - start) / 1000)).padStart(4)} s  ${line}`)
}
const options = values.short ? shortForm(size) : fullForm(size)

say(`seed ${seed}: npm run test:chaos -- --seed ${seed}`)
if (values.plan) for (const fault of makePlan(options.plan)) say(describeFault(fault))
else {
  const outcome = await runChaos(options)
  say(`\n${describeOutcome(outcome)}`)
  process.exitCode = isGood(outcome) ? 0 : 1
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
