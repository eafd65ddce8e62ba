import { strict as assert } from 'node:assert'
import { startService, test } from '../../test/service/service.ts'

test('a log-in and a log-out are entries with person, address and operation', async (t) => {
  const { operator, anonymous, pool } = await startService(t)
  const { email, password } = operator
  const { body } = await anonymous.expect(200).post('/auth/login', { email, password })
  await anonymous
    .as({ authorization: `Bearer ${body.token}` })
    .expect(200)
    .post('/auth/logout')
  const entries = await pool<{ operation: string }[]>`
    select operation, account_id, on_account_id, person_id = (select holder_id from accounts) as is_holder, address
    from audit_entries
    order by id
  `
  const entry = { accountId: operator.id, onAccountId: operator.id, isHolder: true, address: '127.0.0.1' }
  assert.deepEqual(
    [...entries],
    [
      { operation: 'login', ...entry },
      { operation: 'logout', ...entry }
    ]
  )
})

test('entries can’t be updated, deleted or truncated by the service’s own role', async (t) => {
  const { operator, anonymous, pool } = await startService(t)
  const { email, password } = operator
  await anonymous.expect(200).post('/auth/login', { email, password })
  const partitions = await pool<{ name: string }[]>`
    select relid::text as name
    from pg_partition_tree('audit_entries')
  `
  assert.equal(partitions.length, 5, 'the table, three months and the default')
  for (const { name } of partitions) {
    await assert.rejects(pool.unsafe(`update ${name} set address = ''`), /permission denied/)
    await assert.rejects(pool.unsafe(`delete from ${name}`), /permission denied/)
    await assert.rejects(pool.unsafe(`truncate ${name}`), /permission denied/)
  }
})
