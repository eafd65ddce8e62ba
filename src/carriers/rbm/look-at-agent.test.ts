import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { readLook } from './look-at-agent.ts'

test('what the platform says of an agent is read, and what it leaves out, or says oddly, does no harm', () => {
  const launchDetails = {
    '/v1/regions/fr-orange': { launchState: 'LAUNCH_STATE_LAUNCHED' },
    'fr-sfr': { launchState: 'LAUNCH_STATE_PENDING' },
    odd: 7
  }
  const whole = {
    displayName: 'My Shop',
    rcsBusinessMessagingAgent: { logoUri: 'https://x.example/l.png', launchDetails }
  }
  assert.deepEqual(readLook(JSON.stringify(whole)), {
    displayName: 'My Shop',
    logoUrl: 'https://x.example/l.png',
    launches: [
      { region: 'fr-orange', state: 'launched' },
      { region: 'fr-sfr', state: 'pending' },
      { region: 'odd', state: 'unknown' }
    ]
  })
  const nothing = { displayName: null, logoUrl: null, launches: [] }
  for (const text of ['{}', 'null', '[]', '7', '{"rcsBusinessMessagingAgent":{"logoUri":"javascript:alert(1)"}}']) {
    assert.deepEqual(readLook(text), nothing)
  }
  assert.deepEqual(readLook('<html>'), { problem: 'The platform answered with something that is no JSON.' })
})
