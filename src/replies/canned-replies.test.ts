import { strict as assert } from 'node:assert'
import { startService, test } from '../../test/service/service.ts'

const HOURS = { name: 'Horaires', content: 'Bonjour #champ_prenom#, de 9 h à 19 h.' }

test('canned replies are created, listed by name, changed and deleted; each act is in the trail without the text', async (t) => {
  const { newAccount } = await startService(t)
  const [account, other] = [await newAccount(), await newAccount()]
  const hours = (await account.expect(200).post('/canned-replies', HOURS)).body
  const { id } = (await account.expect(200).post('/canned-replies', { name: 'adresse', content: '1 rue de Lyon' })).body
  assert.deepEqual((await account.expect(200).get('/canned-replies')).body, [
    { id, name: 'adresse', content: '1 rue de Lyon' },
    { id: hours.id, ...HOURS }
  ])
  const path = `/canned-replies/${hours.id}`
  assert.deepEqual((await account.expect(200).put(path, { name: 'Ouvert' })).body, {
    ...HOURS,
    id: hours.id,
    name: 'Ouvert'
  })
  await account.expect(200).put(path, { content: 'Fermé' })
  assert.deepEqual((await account.expect(200).get(path)).body, { id: hours.id, name: 'Ouvert', content: 'Fermé' })

  assert.deepEqual((await other.expect(200).get('/canned-replies')).body, [])
  await other.expect(404).get(path)
  await other.expect(404).put(path, { name: 'Mine' })
  await other.expect(404).delete(path)
  await account.expect(200).delete(path)
  await account.expect(404).delete(path)
  await account.expect(404).put(path, { name: 'Again' })
  const { items } = (await account.expect(200).get(`/audit?object_kind=canned_reply&object_id=${hours.id}`)).body
  const name = (before: string | null, after: string) => ({ field: 'name', hidden: false, before, after })
  assert.deepEqual(
    items.map(({ operation, changes }: { operation: string; changes: unknown }) => [operation, changes]),
    [
      ['deleteCannedReply', []],
      ['updateCannedReply', [{ field: 'content', hidden: true, before: null, after: null }]],
      ['updateCannedReply', [name('Horaires', 'Ouvert')]],
      ['createCannedReply', [name(null, 'Horaires')]]
    ]
  )
})

test('a canned reply with a variable that contacts do not have is refused, and so is one too many', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount()
  const wrong = [
    { ...HOURS, content: 'Bonjour #prenom#' },
    { ...HOURS, content: ' \n' },
    { ...HOURS, content: 'x'.repeat(1001) },
    { ...HOURS, name: ' ' },
    { content: 'Sans nom' }
  ]
  for (const body of wrong) await account.expect(400).post('/canned-replies', body)
  const { body } = await account.expect(400).post('/canned-replies', wrong[0])
  assert.match(body.details[0].message, /#champ_prenom#, and not #prenom#/)
  assert.deepEqual((await account.expect(200).get('/canned-replies')).body, [])
  await pool`
    insert into canned_replies (account_id, id, name, content)
    select ${account.id}, nextval('canned_reply_ids'), 'Name', 'Text'
    from generate_series(1, 199)
  `
  // Of two at once, one is the last that fits.
  const answers = await Promise.all([1, 2].map(() => account.post('/canned-replies', HOURS)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  assert.equal((await account.expect(200).get('/canned-replies')).body.length, 200)
})
