import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { tally } from './figures.ts'
import { runOverload } from './run-overload.ts'

const MEMORY_GROWTH_MAX_MB = 500

// The short form of `npm run test:overload`; how quick all is, is measured there.
test('ten times what can be sustained: refusals are told and true, what was accepted is delivered once, and it recovers', async (t) => {
  const { flood, bulk, light, memory, broken } = await runOverload({
    measureSeconds: 1,
    seconds: 4,
    factor: 10,
    connectionsMax: 400,
    say: (line) => t.diagnostic(line)
  })
  assert.deepEqual(broken, [])
  t.diagnostic(JSON.stringify({ flood: tally(flood), bulk: tally([bulk]), light: tally(light), memory }))
  assert.ok((tally(flood)[200] ?? 0) > 0, 'some of what floods is accepted')
  assert.ok(memory.peakMb - memory.idleMb < MEMORY_GROWTH_MAX_MB, 'memory is bounded')
})
