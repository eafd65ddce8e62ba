import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { atEnd } from '../service/cleanup.ts'

/*
 * Does by hand what the Dockerfile says: most machines that run the tests have no Docker. Files are copied from what
 * .dockerignore leaves; packages are those of this checkout, without the ones for development where the image omits them.
 */

const root = join(import.meta.dirname, '../..')
/** The package `node`: scripts of npm run on it. */
const NODE = join(root, 'node_modules/.bin/node')
const read = (file: string) => readFile(join(root, file), 'utf8')

interface Step {
  word: string
  text: string
}

/** The steps of each stage, by the name of the stage. The last one has none. */
async function readStages(): Promise<Map<string, Step[]>> {
  const text = (await read('Dockerfile')).replaceAll(/\\\n\s*/g, '').replaceAll(/^#.*\n/gm, '')
  const stages = new Map<string, Step[]>()
  for (const [, word = '', rest = ''] of text.matchAll(/^([A-Z]+) (.+)$/gm)) {
    if (word === 'FROM') stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? 'image', [])
    else [...stages.values()].at(-1)?.push({ word, text: rest })
  }
  return stages
}

/** Does the steps of a stage in a folder, which stands for /app. Commands are only read: the tests run their own. */
async function copyStage(folder: string, steps: Step[], stages: Map<string, string>): Promise<void> {
  const ignored = (await read('.dockerignore')).split('\n').filter((line) => line !== '')
  const isIgnored = (file: string) => ignored.some((path) => file === path || file.startsWith(`${path}/`))
  for (const { word, text } of steps) {
    if (word !== 'COPY') continue
    const words = text.split(' ')
    const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined
    const to = words.pop() ?? ''
    const source = from === undefined ? root : stages.get(from)
    assert.ok(source, text)
    for (const file of words) {
      const path = from === undefined ? file : file.replace('/app/', '')
      const target = to.endsWith('/') ? join(folder, to, basename(path)) : join(folder, to)
      const filter = (each: string) => from !== undefined || !isIgnored(each.slice(root.length + 1))
      assert.ok(filter(join(source, path)), `.dockerignore leaves ${path}`)
      await cp(join(source, path), target, { recursive: true, filter })
    }
  }
}

/** The packages that `npm ci` would install, of this checkout. */
async function linkPackages(folder: string, { withDevelopment }: { withDevelopment: boolean }): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean }>
  }
  for (const [path, { dev, devOptional, link }] of Object.entries(packages)) {
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)
    if (!isTop || link || (!withDevelopment && (dev || devOptional))) continue
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await symlink(join(root, path), join(folder, path))
  }
}

async function run(folder: string, command: string, args: string[], settings: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, HOME: folder, ...settings }
  const options = { cwd: folder, env, maxBuffer: 2 ** 24 }
  const { promise, resolve } = Promise.withResolvers<{ status: unknown; output: string }>()
  execFile(command, args, options, (error, stdout, stderr) => {
    resolve({ status: error?.code ?? 0, output: stdout + stderr })
  })
  return promise
}

async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-image-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

test('what the Dockerfile copies is enough to install, to build the console and to start', async (t) => {
  const stages = await readStages()
  assert.deepEqual([...stages.keys()], ['console', 'image'])
  const commands = [...stages].map(([name, steps]) => [
    name,
    steps.filter(({ word }) => word === 'RUN').map(({ text }) => text.split(' && ')[0])
  ])
  assert.deepEqual(commands.slice(0, 1), [['console', ['npm ci', 'npm run console:build']]])
  assert.equal(commands[1]?.[1]?.[0], 'npm ci --omit=dev')

  const built = await emptyFolder(t)
  await copyStage(built, stages.get('console') ?? [], new Map())
  // The workspaces are not there, and package.json names them.
  const installed = await run(built, 'npm', ['ci', '--dry-run', '--offline', '--ignore-scripts', '--omit=dev'])
  assert.equal(installed.status, 0, installed.output)
  assert.match(installed.output, /^add fastify /m)
  assert.doesNotMatch(installed.output, /^add vite /m)

  await linkPackages(built, { withDevelopment: true })
  const build = `import { build } from 'vite'
    await build({ configFile: 'console/vite.config.ts', logLevel: 'error', build: { minify: false, write: false } })`
  const bundled = await run(built, NODE, ['--input-type=module', '--eval', build])
  assert.equal(bundled.status, 0, bundled.output)

  const image = await emptyFolder(t)
  await copyStage(image, stages.get('image') ?? [], new Map([['console', built]]))
  await linkPackages(image, { withDevelopment: false })
  const [file = '', ...args] = JSON.parse((stages.get('image') ?? []).find(({ word }) => word === 'CMD')?.text ?? '[]')
  assert.equal(file, '/app/node_modules/.bin/node')
  // All of the program is loaded before it reads its settings, and refuses these.
  const started = await run(image, NODE, args, { PORT: '70000', CHAPPE_DATA: join(image, 'data') })
  assert.match(started.output, /PORT must be at most/)
  assert.equal(started.status, 1, started.output)
})
