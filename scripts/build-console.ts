import { createHash } from 'node:crypto'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/*
 * `npm run console:build`, and the first step of `npm start`: builds the console into console/dist, unless the present build is
 * from the same files. Without the build tools, a build of other files is used as it is.
 */

const root = join(import.meta.dirname, '..')
const folder = join(root, 'console')
const dist = join(folder, 'dist')
const stamp = join(dist, 'built-from')

const TOOLS_MISSING =
  'The tools to build it are missing: `npm ci --include=dev` installs them, also with NODE_ENV=production.'

export async function buildConsole(): Promise<void> {
  const wanted = await hashInputs()
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return
  const vite = await import('vite').catch(() => undefined)
  if (!vite) {
    // The service runs all the same: its API needs no console.
    process.stderr.write(`The console is not built from these files. ${TOOLS_MISSING}\n`)
    return
  }
  process.stdout.write('Building the console …\n')
  await vite.build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' })
  await compress()
  await writeFile(stamp, wanted)
}

async function hashInputs(): Promise<string> {
  const hash = createHash('sha256')
  const files = (await Array.fromAsync(glob(['*', 'src/**', 'public/**'], { cwd: folder, withFileTypes: true })))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const file of [...files, join(root, 'package-lock.json')])
    hash.update(file.slice(root.length)).update(await readFile(file))
  return hash.digest('hex')
}

/** Compressed copies beside each file, in the encodings that browsers accept. */
async function compress(): Promise<void> {
  const brotli = promisify(brotliCompress)
  for await (const name of glob('**/*.{html,js,css,svg}', { cwd: dist })) {
    const content = await readFile(join(dist, name))
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
    await writeFile(join(dist, `${name}.br`), await brotli(content, quality))
    await writeFile(join(dist, `${name}.gz`), await promisify(gzip)(content, { level: 9 }))
  }
}

if (import.meta.main) await buildConsole()
