import { strict as assert } from 'node:assert'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, test } from '../../test/service/service.ts'
import { listStopped } from './stops.store.ts'

const byHand = { source: 'manual', way: 'manual', message_id: null, sender: null }

test('a number is opted out once, in whatever notation it is given', async (t) => {
  const { operator } = await startService(t)
  const { body } = await operator.expect(200).post('/stops', { recipient: '06 39 98 00 06' })
  assert.deepEqual(body, { id: body.id, recipient: '+33639980006', timestamp: body.timestamp, ...byHand })
  for (const recipient of ['+33639980006', '0033 6 39 98 00 06', '06.39.98.00.06', '33639980006']) {
    assert.deepEqual((await operator.expect(200).post('/stops', { recipient })).body, body)
  }
  const again = await Promise.all(
    Array.from({ length: 10 }, () => operator.post('/stops', { recipient: '0639980007' }))
  )
  assert.equal(new Set(again.map((answer) => answer.body.id)).size, 1)
  for (const recipient of ['', 'x', '12', null, 639980006]) await operator.expect(400).post('/stops', { recipient })
})

test('STOPs are listed newest first, searched by digits and deleted', async (t) => {
  const { operator } = await startService(t)
  for (const last of ['01', '02', '03']) await operator.expect(200).post('/stops', { recipient: `06399800${last}` })
  const numbers = (answer: { body: { items: { recipient: string }[] } }) =>
    answer.body.items.map(({ recipient }) => recipient)
  const all = await operator.expect(200).get('/stops/all?limit=2')
  assert.deepEqual(numbers(all), ['+33639980003', '+33639980002'])
  assert.deepEqual(all.body.meta, { itemCount: 2, totalItems: 3, itemsPerPage: 2, totalPages: 2, currentPage: 1 })
  assert.deepEqual(numbers(await operator.expect(200).get('/stops/all?limit=2&page=2')), ['+33639980001'])
  assert.deepEqual(numbers(await operator.expect(200).get('/stops/all?search=06%2039%2098%2000%2002')), [
    '+33639980002'
  ])
  assert.deepEqual(numbers(await operator.expect(200).get('/stops/all?search=%2B3363998')).length, 3)
  assert.deepEqual(numbers(await operator.expect(200).get('/stops/all?search=abc')), [])
  assert.deepEqual(numbers(await operator.expect(200).get('/stops/all?search=%20')).length, 3)
  const { id } = all.body.items[0]
  assert.deepEqual((await operator.expect(200).delete(`/stops/${id}`)).body, {
    success: true,
    message: 'The STOP was deleted.'
  })
  await operator.expect(404).delete(`/stops/${id}`)
  assert.equal((await operator.expect(200).get('/stops/all')).body.meta.totalItems, 2)
})

test('a STOP belongs to one account', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [one, two] = [await newAccount(), await newAccount()]
  const { body } = await one.expect(200).post('/stops', { recipient: '0639980006' })
  assert.deepEqual((await two.expect(200).get('/stops/all')).body.items, [])
  await two.expect(404).delete(`/stops/${body.id}`)
  assert.deepEqual(await listStopped(pool, { accountId: two.id, phones: ['+33639980006'] }), new Set())
  assert.notEqual((await two.expect(200).post('/stops', { recipient: '0639980006' })).body.id, body.id)
})

test('which of 100,000 numbers are opted out is one question', async (t) => {
  const { operator, pool } = await startService(t)
  await pool`
    insert into stops (account_id, id, phone, source)
    select ${operator.id}, nextval('stop_ids'), '+336' || 10000000 + number, 'file'
    from generate_series(0, 199999, 2) as number
  `
  const phones = Array.from({ length: 100_000 }, (_, index) => `+336${10_000_000 + index}`)
  const stopped = await listStopped(pool, { accountId: operator.id, phones })
  assert.equal(stopped.size, 50_000)
  assert.ok(stopped.has('+33610000000') && !stopped.has('+33610000001'))
})

test('the numbers of a file are opted out, each once', async (t) => {
  const { operator } = await startService(t)
  await operator.expect(200).post('/stops', { recipient: '0639980001' })
  const file = 'Nom;Mobile\nA;06 39 98 00 01\nB;06 39 98 00 02\nC;+33639980002\nD;x\nE;01 45 67 89 01\n'
  const { body } = await operator.expect(200).post('/stops/file', fileForm(file))
  assert.deepEqual(body, {
    success: true,
    message: '2 STOPs added, 2 there already, 1 invalid.',
    added: 2,
    existing: 2,
    invalid: 1,
    errors: [{ line: 5, value: 'x', reason: 'not a phone number' }]
  })
  const { body: all } = await operator.expect(200).get('/stops/all')
  const sources = Object.fromEntries(
    all.items.map(({ recipient, source }: { recipient: string; source: string }) => [recipient, source])
  )
  assert.deepEqual(sources, { '+33639980001': 'manual', '+33639980002': 'file', '+33145678901': 'file' })
  const again = await operator.expect(200).post('/stops/file', fileForm(file))
  assert.deepEqual([again.body.added, again.body.existing], [0, 4])
  await operator.expect(400).post('/stops/file', fileForm('tel\n0639980005\n"0639980006\n'))
  assert.equal((await operator.expect(200).get('/stops/all')).body.meta.totalItems, 3)
})

test('two files of STOPs at once neither fail nor miscount', async (t) => {
  const { operator } = await startService(t)
  const numbers = Array.from({ length: 3_000 }, (_, index) => `+3363998${String(index).padStart(4, '0')}`)
  const files = [numbers, numbers.toReversed(), numbers, numbers.toReversed()].map((lines) =>
    fileForm(lines.join('\n'))
  )
  const answers = await Promise.all(files.map((file) => operator.expect(200).post('/stops/file', file)))
  assert.equal(
    answers.reduce((sum, { body }) => sum + body.added, 0),
    3_000
  )
  assert.equal((await operator.expect(200).get('/stops/all')).body.meta.totalItems, 3_000)
})
