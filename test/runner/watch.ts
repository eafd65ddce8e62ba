import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from './choose-files.ts'
import { withImports } from './imports.ts'

const FOLDERS = ['src', 'test', 'simulator', 'bench', 'scripts']
/** An editor that saves, or a checkout, changes several files at once. */
const QUIET_MS = 100

/** Of some test files, those that a change concerns, whenever one is made from now on. */
export function watchFiles(files: readonly string[], signal: AbortSignal): AsyncIterable<string[]> {
  const changed = new Set<string>()
  let wake = Promise.withResolvers<void>()
  for (const folder of FOLDERS) {
    void (async () => {
      for await (const { filename } of watch(join(ROOT, folder), { recursive: true, signal })) {
        if (filename !== null) changed.add(join(ROOT, folder, filename))
        wake.resolve()
      }
    })().catch(() => wake.resolve())
  }
  return (async function* () {
    while (!signal.aborted) {
      await wake.promise
      await sleep(QUIET_MS)
      wake = Promise.withResolvers()
      const concerned = files.filter((file) => [...withImports([file])].some((each) => changed.has(each)))
      changed.clear()
      if (concerned.length > 0 && !signal.aborted) yield concerned
    }
  })()
}
