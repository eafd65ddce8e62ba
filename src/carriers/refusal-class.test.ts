import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { refusalClass } from './refusal-class.ts'

test('refusals of all kinds of carriers have the same few classes', () => {
  const classes = {
    ESME_RTHROTTLED: 'throttled',
    ESME_RINVDSTADR: 'number',
    ESME_RINVSRCADR: 'sender',
    'HTTP 429': 'throttled',
    'HTTP 401': 'access',
    'HTTP 503': 'carrier',
    '503 UNAVAILABLE: try again': 'carrier',
    '400 INVALID_ARGUMENT': 'content',
    '0x00000412': 'other',
    BLACKLISTED: 'other',
    constructor: 'other'
  }
  assert.deepEqual(Object.fromEntries(Object.keys(classes).map((reason) => [reason, refusalClass(reason)])), classes)
})
