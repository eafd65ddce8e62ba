import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { atEnd } from '../service/cleanup.ts'

const script = join(import.meta.dirname, '../../scripts/build-client.ts')

test('the built client is plain JavaScript with declarations; a bundle has only what a page uses, and nothing of Node', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-client-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const dist = join(folder, 'client')
  await promisify(execFile)(process.execPath, [script, dist])

  const described = JSON.parse(await readFile(join(dist, 'package.json'), 'utf8'))
  const { types, default: main } = described.exports['.']
  assert.deepEqual([described.private, described.dependencies, described.sideEffects], [undefined, undefined, false])
  assert.match(await readFile(join(dist, types), 'utf8'), /export \{.* createClient,/)
  const program = await promisify(execFile)(process.execPath, [join(dist, described.bin.chappe), 'help'])
  assert.match(program.stdout, /^chappe: SMS and RCS/)

  const { createClient } = (await import(pathToFileURL(join(dist, main)).href)) as typeof import('@chappe/client')
  assert.equal(typeof createClient({ url: 'http://127.0.0.1:3000' }).call, 'function')

  const bundle = async (code: string): Promise<string> => {
    const entry = join(folder, 'page.js')
    await writeFile(entry, code)
    const made = await build({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      build: { write: false, lib: { entry, formats: ['es'], fileName: 'page' } }
    })
    const [
      {
        output: [chunk]
      } = assert.fail('nothing was made')
    ] = [made].flat() as { output: { code: string }[] }[]
    return chunk?.code ?? ''
  }
  const whole = await bundle(`export * from './client/${main}'`)
  assert.doesNotMatch(whole, /["']node:|\bprocess\b|\bBuffer\b|require\(/)
  for (const word of ['idempotency-key', 'whsec_', 'text/csv', '/auth/login']) assert.ok(whole.includes(word), word)
  const page = await bundle(`export { verifyWebhook } from './client/${main}'`)
  assert.ok(page.includes('whsec_'))
  for (const word of ['idempotency-key', 'text/csv', '/auth/login', '/events']) assert.ok(!page.includes(word), word)
  t.diagnostic(`the whole client: ${whole.length} characters; webhooks alone: ${page.length}`)
})
