import { strict as assert } from 'node:assert'
import { glob, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')

test('every test that the security review names is there, and so is every file', async () => {
  const pages = ['security-review.md', 'security-attacks.md'].map((name) => readFile(join(root, 'docs', name), 'utf8'))
  const page = (await Promise.all(pages)).join(' ').replaceAll(/\s+/g, ' ')
  let tests = ''
  for await (const file of glob('{src,test}/**/*.test.ts', { cwd: root })) {
    if (!file.endsWith('claims.test.ts')) tests += await readFile(join(root, file), 'utf8')
  }
  const named = [...page.matchAll(/“([^”…]{15,})[…”]/g)].map(([, name = '']) => name)
  assert.ok(named.length > 50, `only ${named.length} are named`)
  for (const name of named) assert.ok(tests.includes(`test('${name}`), `there is no test “${name}”`)

  for (const [, path = ''] of page.matchAll(/`((?:src|test)\/[\w/.-]+\.ts)/g)) {
    assert.ok((await stat(join(root, path))).isFile(), path)
  }
})
