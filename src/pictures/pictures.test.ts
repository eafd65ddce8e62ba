import { strict as assert } from 'node:assert'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { createFindPicture } from './find-picture.ts'
import { gif, jpeg, png } from './pictures.samples.ts'
import { deleteOldPictures } from './pictures.store.ts'

const SIZE = { width: 1_440, height: 720 }
const form = (content: Buffer) => fileForm(content, {}, { name: 'winter.bin' })
const add = async (account: TestAccount, content: Buffer) =>
  (await account.expect(200).post('/pictures', form(content))).body

test('a picture that is uploaded is fetched by everybody who has its address, and kept by them', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  for (const [content, type, ending] of [
    [jpeg(SIZE), 'image/jpeg', 'jpg'],
    [png(SIZE), 'image/png', 'png'],
    [gif(SIZE), 'image/gif', 'gif']
  ] as const) {
    const { id, url, created_at, ...view } = await add(account, content)
    assert.deepEqual(view, { type, ...SIZE, bytes: content.length })
    assert.match(url, new RegExp(`^${service.url}/p/[0-9A-Za-z]{20}\\.${ending}$`))
    const answer = await fetch(url)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type])
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(content))
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox")
    const etag = answer.headers.get('etag') ?? ''
    assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304)
    const head = await fetch(url, { method: 'HEAD' })
    assert.deepEqual([head.headers.get('content-length'), await head.text()], [String(content.length), ''])
    for (const other of [`${url}x`, url.replace(/\w{3}$/, 'svg'), url.replace(/\/p\/..../, '/p/0000')]) {
      const missing = await fetch(other)
      const { code } = (await missing.json()) as { code: string }
      assert.deepEqual([missing.status, code], [404, 'not_found'])
    }
  }
  const { body } = await account.expect(200).get('/pictures?limit=2')
  assert.deepEqual([body.items.length, body.meta.totalItems, body.items[0].type], [2, 3, 'image/gif'])
})

test('the same picture again, also twice at once, is the same record; of another account it is another', async (t) => {
  const service = await startService(t)
  const [one, other] = [await service.newAccount(), await service.newAccount()]
  const [first, second] = await Promise.all([add(one, png(SIZE)), add(one, png(SIZE))])
  assert.deepEqual(first, second)
  const foreign = await add(other, png(SIZE))
  assert.notEqual(foreign.url, first.url)
  await other.expect(404).delete(`/pictures/${first.id}`)
  assert.equal((await fetch(first.url)).status, 200)
  await one.expect(200).delete(`/pictures/${first.id}`)
  await one.expect(404).delete(`/pictures/${first.id}`)
  assert.equal((await fetch(foreign.url)).status, 200)
  assert.equal((await one.expect(200).get('/pictures')).body.meta.totalItems, 0)
})

test('a file that is no picture, is cut off, too large or too many is refused and changes nothing', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const cases: [content: Buffer, message: RegExp][] = [
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), /must be a whole JPEG, PNG or GIF/],
    [Buffer.alloc(0), /must be a whole/],
    [jpeg(SIZE).subarray(0, -1), /must be a whole/],
    [gif({ width: 0, height: 5 }), /has 0 × 5 pixels/],
    [png({ width: 4_097, height: 5 }), /has 4097 × 5 pixels, and a side may have 1 to 4096/],
    [gif(SIZE, 'a'.repeat(2 * 1024 * 1024)), /has 2097166 bytes, and 2097152 is the most/]
  ]
  for (const [content, message] of cases) {
    const { body } = await account.expect(400).post('/pictures', form(content))
    assert.match(body.details[0].message, message)
    assert.equal(body.details[0].path, 'file')
  }
  await account.expect(400).post('/pictures', fileFormWithoutFile())
  assert.equal((await service.pool`select from pictures`).length, 0)
  await service.pool`
    insert into pictures (account_id, id, code, media_type, width, height, bytes, sha256, content)
    select ${account.id}, nextval('picture_ids'), 'code' || n, 'image/gif', 1, 1, 1, sha256(n::text::bytea), 'x'
    from generate_series(1, 199) as n
  `
  const answers = await Promise.all([gif(SIZE), png(SIZE)].map((content) => account.post('/pictures', form(content))))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
})

function fileFormWithoutFile(): FormData {
  const empty = new FormData()
  empty.append('name', 'winter')
  return empty
}

test('a picture is kept while it is fetched, and removed when nobody asked for as long as messages are kept', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const account = await service.newAccount()
  const [asked, forgotten] = [await add(account, png(SIZE)), await add(account, gif(SIZE))]
  await pool`update pictures set used_at = now() - interval '40 days'`
  assert.equal((await fetch(asked.url)).status, 200)
  assert.equal(await deleteOldPictures(pool, { days: 30, limit: 10 }), 1)
  const { items } = (await account.expect(200).get('/pictures')).body
  assert.deepEqual(
    items.map(({ id }: { id: number }) => id),
    [asked.id]
  )
  assert.equal((await fetch(forgotten.url)).status, 404)
})

test('many who ask for one picture share its look-up, and a code that leads nowhere is not kept', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const { url } = await add(account, png(SIZE))
  const code = new URL(url).pathname.slice(3, -4)
  const find = createFindPicture(service.pool)
  const found = await Promise.all(Array.from({ length: 50 }, () => find(code)))
  assert.equal(new Set(found).size, 1)
  assert.ok(found[0]?.content.equals(png(SIZE)))
  const missing = 'x'.repeat(20)
  assert.equal(await find(missing), undefined)
  await service.pool`update pictures set code = ${missing}`
  assert.ok((await find(missing))?.content.equals(png(SIZE)))
})
