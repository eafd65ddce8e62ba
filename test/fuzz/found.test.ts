import { strict as assert } from 'node:assert'
import { readdir, readlink } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileForm } from '../service/file-form.ts'
import { startService, test } from '../service/service.ts'
import { workbookOf } from './upload-files.ts'

/* What the fuzz has found, one by one. */

const multipart = { 'content-type': 'multipart/form-data; boundary=b' }
const FILE = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n0639980001\r\n'

/** Each cell was tried as a phone number: three megabytes kept everybody waiting for minutes. */
test('a text with more than a thousand columns is refused, as a workbook is', async (t) => {
  const { operator } = await startService(t)
  const wide = `${'06;'.repeat(20_000)}0639980001\n`.repeat(50)
  const { body } = await operator.expect(400).post('/stops/file', fileForm(wide))
  assert.deepEqual(body.details, [{ path: 'file', message: 'line 1: has more than 1000 columns' }])
  const widest = `${'x;'.repeat(999)}0639980001\n`.repeat(50)
  assert.equal((await operator.expect(200).post('/stops/file', fileForm(widest))).body.added, 1)
})

test('a workbook’s row with an impossible number has the place where it stands', async (t) => {
  const { operator } = await startService(t)
  for (const number of ['Infinity', '1e99', '-5', '1.5', '99999999']) {
    const cell = (text: string) => `<c t="str"><v>${text}</v></c>`
    const rows = `<row r="1">${cell('0639980001')}</row><row r="${number}">${cell('nobody')}</row>`
    const file = workbookOf({ sheet: `<worksheet><sheetData>${rows}</sheetData></worksheet>` })
    const { body } = await operator.expect(200).post('/stops/file', fileForm(file))
    assert.deepEqual(body.errors, [{ line: 2, value: 'nobody', reason: 'not a phone number' }], number)
  }
})

test('a multipart body with a part without a name is refused', async (t) => {
  const { operator } = await startService(t)
  const body = `--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n${FILE}--b--`
  const { body: answer } = await operator.expect(400).post('/stops/file', body, multipart)
  assert.deepEqual(answer.details, [{ path: '', message: 'has a part without a name' }])
})

/** It was never answered, and kept its place among those that send files. */
test('a multipart body with a part that ends within its headers is refused', async (t) => {
  const { operator } = await startService(t)
  const part = '--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n'
  for (const body of [
    `${part}--b--`,
    `${part}${FILE}--b--`,
    `${FILE}${part}--b--`,
    `${part.slice(0, -2)}--b--`,
    '--b----b\r\n--b\r\n'
  ]) {
    await operator.expect(400).post('/stops/file', body, multipart)
  }
  await operator.expect(200).post('/stops/file', `${FILE}--b--`, multipart)
})

test('the file of a body whose names nest too deep is closed', async (t) => {
  const { operator, dataFolder } = await startService(t)
  const deep = `--b\r\ncontent-disposition: form-data; name="a${'[b]'.repeat(50)}"\r\n\r\nx\r\n`
  await operator.expect(400).post('/stops/file', `${deep}${FILE}--b--`, multipart)
  // Only Linux tells which files are open.
  const handles = await readdir('/proc/self/fd').catch(() => [])
  const names = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')))
  const folder = join(dataFolder, 'uploads')
  assert.deepEqual(
    names.filter((name) => name.startsWith(folder)),
    []
  )
})

test('an expectation that nobody knows is ignored, and not answered without our shape', async (t) => {
  const { url, operator } = await startService(t)
  const { promise, resolve, reject } = Promise.withResolvers<[number | undefined, unknown]>()
  const headers = { expect: '200-ok', 'x-api-key': operator.apiKey }
  const asked = request(`${url}/users/me`, { headers }, (response) => {
    response.resume()
    resolve([response.statusCode, response.headers['x-request-id']])
  })
  asked.on('error', reject)
  asked.end()
  const [status, requestId] = await promise
  assert.equal(status, 200)
  assert.equal(typeof requestId, 'string')
})
