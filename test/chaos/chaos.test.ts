import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { shortForm } from './forms.ts'
import { describeOutcome, isGood } from './report.ts'
import { runChaos } from './run.ts'

const TIMEOUT_MS = 300_000 // On two cores with nothing else it takes under a minute.

// All faults at once: kills, pauses, lost and silent links, database restarts. `npm run test:chaos` is the long form.
test('what was acknowledged is delivered, charged and told once, whatever dies meanwhile', {
  timeout: TIMEOUT_MS
}, async (t) => {
  const seed = Number(process.env.CHAPPE_TEST_SEED ?? Date.now() % 2 ** 31)
  t.diagnostic(`seed ${seed}: CHAPPE_TEST_SEED=${seed} npm test -- chaos`)
  const outcome = await runChaos(
    shortForm({
      seed,
      kills: 3,
      recipients: 1_500,
      policies: ['resend', 'fail'],
      say: (line) => t.diagnostic(line)
    })
  )
  const report = describeOutcome(outcome)
  assert.ok(isGood(outcome), `seed ${seed}\n${report}`)
  t.diagnostic(report)
})
