import { execFile } from 'node:child_process'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** `npm run client:build [folder]`: the client as plain JavaScript with declarations, a package of its own. */
const root = join(import.meta.dirname, '..')
const client = join(root, 'packages/client')
const dist = process.argv[2] ?? join(client, 'dist')

await rm(dist, { recursive: true, force: true })
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
await promisify(execFile)(process.execPath, [compiler, '-p', client, '--outDir', dist])
const {
  exports: _source,
  private: _private,
  bin: _bin,
  ...described
} = JSON.parse(await readFile(join(client, 'package.json'), 'utf8')) as Record<string, unknown>
await writeFile(
  join(dist, 'package.json'),
  `${JSON.stringify(
    {
      ...described,
      exports: { '.': { types: './src/index.d.ts', default: './src/index.js' } },
      bin: { chappe: './bin/chappe.js' }
    },
    null,
    2
  )}\n`
)
await cp(join(client, 'README.md'), join(dist, 'README.md'))
await cp(join(root, 'LICENSE'), join(dist, 'LICENSE'))
