import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import pg from 'pg'
import { isBusy, isDatabaseUnavailable, isUnstorable, violatedConstraint } from './database.ts'
import { completeError } from './worker-errors.ts'

function completed(code: string, message: string, constraint?: string): pg.DatabaseError {
  const error = Object.assign(new pg.DatabaseError(message, 0, 'error'), { code, constraint })
  completeError(error)
  return error
}

const REPEATED = 'duplicate key value violates unique constraint'

test('an error of a worker names its constraint as an error of the coordinator does', () => {
  for (const error of [
    completed('23505', `${REPEATED} "contacts_phone_unique_102010"`),
    completed('XX000', `${REPEATED} "contacts_phone_unique_102010"`),
    completed('23505', `${REPEATED} "contacts_phone_unique_102010"`, 'contacts_phone_unique_102010'),
    completed('23505', `${REPEATED} "contacts_phone_unique"`, 'contacts_phone_unique')
  ]) {
    assert.equal(violatedConstraint(error), 'contacts_phone_unique')
  }
  assert.equal(violatedConstraint(completed('40P01', 'deadlock detected in a_102010')), undefined)
})

test('what a worker gives up or can’t do is known by its sentence, where Citus gives no code', () => {
  for (const sentence of [
    'deadlock detected',
    'could not serialize access due to concurrent update',
    'could not find valid entry for shard 102012',
    'canceling statement due to lock timeout',
    'canceling statement due to user request'
  ]) {
    assert.ok(isBusy(completed('XX000', sentence)), sentence)
  }
  for (const sentence of [
    'terminating connection due to administrator command',
    'failure on connection marked as essential: worker-1:5432',
    'server closed the connection unexpectedly\n\tThis probably means…',
    'SSL SYSCALL error: EOF detected\ninvalid socket',
    'SSL connection has been closed unexpectedly',
    'could not receive data from server: Connection reset by peer',
    'no connection to the server'
  ]) {
    assert.ok(isDatabaseUnavailable(completed('XX000', sentence)), sentence)
  }
  assert.ok(isDatabaseUnavailable(completed('58030', 'failed to COPY to shard 102043 on worker-1:5432')))
  assert.equal(isDatabaseUnavailable(completed('58030', 'could not read block 5')), false)
  assert.ok(isUnstorable(completed('XX000', 'could not extend file "base/1/2": No space left on device')))
  assert.equal(isDatabaseUnavailable(completed('XX000', 'unexpected query index')), false)
})
