import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './choose-files.ts'

/*
 * Which files share a process. To load all of the service in a process and warm it up takes longer than the tests of most
 * files, so most files share one with some others, and run in it one after the other.
 */

/** Each has a process of its own: these load the machine, or take minutes. The longest begins first. */
const ALONE = [
  'bench/bench.test.ts',
  'test/chaos/chaos.test.ts',
  'test/journeys/rcs-crashes.test.ts',
  'test/journeys/delivery-crashes.test.ts',
  'test/journeys/database-failover.test.ts',
  'test/journeys/nodes-takeover.test.ts',
  'test/overload/overload.test.ts'
]

/** In the order in which they begin. `processes` is how many share the files of a kind: each takes one to two minutes. */
const KINDS: { path: RegExp; processes: number }[] = [
  // Both begin with a data folder as a first start left it, which is made once for them.
  { path: /^test\/journeys\/(start|stop)\./, processes: 1 },
  { path: /^test\/console\//, processes: 3 },
  { path: /^test\/journeys\/rcs/, processes: 3 },
  { path: /^test\/journeys\//, processes: 5 },
  { path: /^src\//, processes: 10 },
  { path: /^test\//, processes: 2 },
  { path: /./, processes: 1 }
]

/** The files to start. The files that load several others are written into the folder. */
export async function toProcesses(files: readonly string[], folder: string): Promise<string[]> {
  const alone = ALONE.map((file) => join(ROOT, file)).filter((file) => files.includes(file))
  const left = new Set(files.filter((file) => !alone.includes(file)))
  const shared: string[] = []
  for (const { path, processes } of KINDS) {
    const own = [...left].filter((file) => path.test(relative(ROOT, file)))
    for (const file of own) left.delete(file)
    const count = Math.min(processes, own.length)
    for (let index = 0; index < count; index++) {
      const loader = join(folder, `${shared.length + 1}.test.mjs`)
      const loaded = own.filter((_, place) => place % count === index)
      await writeFile(loader, loaded.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)}\n`).join(''))
      shared.push(loader)
    }
  }
  return inTurns(alone, shared)
}

/** Two of each in turn: when all that load the machine run at once, on two cores, the slowest of their waits end too early. */
function inTurns(alone: readonly string[], shared: readonly string[]): string[] {
  const rounds = Math.ceil(Math.max(alone.length, shared.length) / 2)
  return Array.from({ length: rounds }, (_, round) =>
    [alone, shared].flatMap((files) => files.slice(2 * round, 2 * round + 2))
  ).flat()
}
