import { strict as assert } from 'node:assert'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { findSmsTemplate } from './templates.store.ts'

const GREETING = { name: 'Accueil', content: 'Bonjour #champ_prenom#', sender: 'CHAPPE' }

test('an SMS template is kept as it was given', async (t) => {
  const { operator } = await startService(t)
  const { body } = await operator.expect(200).post('/models', GREETING)
  assert.deepEqual(body, { id: body.id, ...GREETING, isModel: true })
  assert.deepEqual((await operator.expect(200).get(`/models/${body.id}`)).body, body)
  for (const given of [
    { name: ' é\nè ', content: ' Bonjour\r\n\t#x# 😀 ', sender: '' },
    { name: 'n'.repeat(255), content: 'c'.repeat(5000), sender: '36111' }
  ]) {
    const { body } = await operator.expect(200).post('/models', given)
    assert.deepEqual((await operator.expect(200).get(`/models/${body.id}`)).body, {
      id: body.id,
      ...given,
      isModel: true
    })
  }
})

test('an SMS template that lacks something, or holds too much, is refused by the name of the field', async (t) => {
  const { operator } = await startService(t)
  const wrong: [field: string, body: object][] = [
    ['name', { content: 'c', sender: '' }],
    ['content', { name: 'n', sender: '' }],
    ['sender', { name: 'n', content: 'c' }],
    ['name', { ...GREETING, name: '' }],
    ['name', { ...GREETING, name: '  ' }],
    ['name', { ...GREETING, name: 'n'.repeat(256) }],
    ['content', { ...GREETING, content: '' }],
    ['content', { ...GREETING, content: 'c'.repeat(5001) }],
    ['sender', { ...GREETING, sender: 's'.repeat(21) }],
    ['sender', { ...GREETING, sender: 33639980001 }],
    ['name', { ...GREETING, name: 'a\u0007b' }],
    ['name', { ...GREETING, name: 'a\tb' }],
    ['sender', { ...GREETING, sender: 'CH\u001bAPPE' }],
    ['sender', { ...GREETING, sender: 'CHAPPE\u007f' }]
  ]
  const made = await operator.expect(200).post('/models', GREETING)
  for (const [field, body] of wrong) {
    const { body: refused } = await operator.expect(400).post('/models', body)
    assert.deepEqual(
      refused.details.map(({ path }: { path: string }) => path),
      [field]
    )
  }
  for (const [field, body] of wrong.slice(3)) {
    const { body: refused } = await operator.expect(400).put(`/models/${made.body.id}`, body)
    assert.equal(refused.details[0].path, field)
  }
  const both = await operator.expect(400).post('/models', { name: '\u0001', content: 'c', sender: '\u0001' })
  assert.deepEqual(both.body.details, [
    { path: 'name', message: 'must not contain control characters' },
    { path: 'sender', message: 'must be 3 to 11 letters and digits, such as MYSHOP' }
  ])
  assert.deepEqual((await operator.expect(200).get('/models')).body, [made.body])
})

test('an update changes the given fields and leaves the others', async (t) => {
  const { operator } = await startService(t)
  const { body: made } = await operator.expect(200).post('/models', GREETING)
  const path = `/models/${made.id}`
  const { body } = await operator.expect(200).put(path, { content: 'Bonsoir', id: 999, kind: 'rcs', isModel: false })
  assert.deepEqual(body, { ...made, content: 'Bonsoir' })
  assert.deepEqual((await operator.expect(200).put(path, { sender: '' })).body, { ...body, sender: '' })
  assert.deepEqual((await operator.expect(200).put(path, {})).body, { ...body, sender: '' })
  await operator.expect(200).put(path, { name: 'Soir', sender: 'BOUTIQUE' })
  assert.deepEqual((await operator.expect(200).get(path)).body, {
    id: made.id,
    name: 'Soir',
    content: 'Bonsoir',
    sender: 'BOUTIQUE',
    isModel: true
  })
})

test('SMS templates are listed newest first, and deleted once', async (t) => {
  const { operator } = await startService(t)
  assert.deepEqual((await operator.expect(200).get('/models')).body, [])
  for (const name of ['one', 'two', 'three']) await operator.expect(200).post('/models', { ...GREETING, name })
  const { body: all } = await operator.expect(200).get('/models')
  assert.deepEqual(
    all.map(({ name }: { name: string }) => name),
    ['three', 'two', 'one']
  )
  const path = `/models/${all[1].id}`
  const answers = await Promise.all(Array.from({ length: 5 }, () => operator.delete(path)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404])
  assert.deepEqual(answers.find(({ status }) => status === 200)?.body, {
    success: true,
    message: 'The template was deleted.'
  })
  await operator.expect(404).get(path)
  await operator.expect(404).put(path, { name: 'again' })
  assert.deepEqual((await operator.expect(200).get('/models')).body, [all[0], all[2]])
})

test('an RCS template is no SMS template, and is deleted like one', async (t) => {
  const { operator, pool } = await startService(t)
  const id = await createRcsTemplate(operator)
  assert.deepEqual((await operator.expect(200).get('/models')).body, [])
  await operator.expect(404).get(`/models/${id}`)
  await operator.expect(404).put(`/models/${id}`, { name: 'mine' })
  assert.equal(await findSmsTemplate(pool, { accountId: operator.id, id }), undefined)
  await operator.expect(200).delete(`/models/${id}`)
  await operator.expect(404).delete(`/models/${id}`)
})

test('a template belongs to one account', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [owner, stranger] = [await newAccount(), await newAccount()]
  const child = await owner.newSubAccount()
  const { body } = await owner.expect(200).post('/models', GREETING)
  const rcsId = await createRcsTemplate(owner)
  for (const other of [stranger, child]) {
    assert.deepEqual((await other.expect(200).get('/models')).body, [])
    await other.expect(404).get(`/models/${body.id}`)
    await other.expect(404).put(`/models/${body.id}`, { name: 'mine' })
    await other.expect(404).delete(`/models/${body.id}`)
    await other.expect(404).delete(`/models/${rcsId}`)
    assert.equal(await findSmsTemplate(pool, { accountId: other.id, id: body.id }), undefined)
  }
  assert.deepEqual(await findSmsTemplate(pool, { accountId: owner.id, id: body.id }), { id: body.id, ...GREETING })
  await owner.expect(200).delete(`/models/${rcsId}`)
})

async function createRcsTemplate(owner: TestAccount): Promise<number> {
  const { body } = await owner
    .expect(200)
    .post('/models/rcs', { name: 'Carte', type: 'text', data: { text: 'Bonjour' } })
  return body.id
}
