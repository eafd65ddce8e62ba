import { relative } from 'node:path'
import type { run } from 'node:test'
import { ROOT } from './choose-files.ts'

type TestEvents = ReturnType<typeof run>

const SLOWEST_SHOWN = 15

interface FileCounts {
  passed: number
  failed: number
  seconds: number
}

/** What came of the tests of a run, or of several. */
export class Report {
  readonly #byFile = new Map<string, FileCounts>()

  get passed(): number {
    return this.#sum('passed')
  }

  get failed(): number {
    return this.#sum('failed')
  }

  /** Their paths, from the root. */
  get failedFiles(): string[] {
    return [...this.#byFile].filter(([, { failed }]) => failed > 0).map(([file]) => file)
  }

  count(isGood: boolean, file = ''): FileCounts {
    const counts = this.#byFile.get(file) ?? { passed: 0, failed: 0, seconds: 0 }
    this.#byFile.set(file, counts)
    counts[isGood ? 'passed' : 'failed']++
    return counts
  }

  /** For a file that is run again. */
  forget(file: string): void {
    this.#byFile.delete(file)
  }

  listen(events: TestEvents): void {
    events.on('test:pass', (event) => this.#add(event, true))
    events.on('test:fail', (event) => this.#add(event, false))
  }

  #add(event: { name: string; nesting: number; file?: string; details: Details }, isGood: boolean): void {
    const { type, duration_ms: ms } = event.details
    // A file is reported as a test of its own, also when it has none; it counts only when it could not even be loaded.
    const isFile = /\.test\.m?[jt]s$/.test(event.name) && (isGood || type === undefined)
    if (type === 'suite' || isFile) return
    const file = event.file === undefined ? '' : relative(ROOT, event.file)
    const counts = this.count(isGood, file)
    if (event.nesting === 0) counts.seconds += ms / 1000
  }

  #sum(name: keyof FileCounts): number {
    return [...this.#byFile.values()].reduce((sum, counts) => sum + counts[name], 0)
  }

  /** The suite's time is these files' time: whoever adds tests sees what they cost. */
  slowest(): string {
    const files = [...this.#byFile].filter(([file]) => file !== '')
    const slowest = files.sort(([, a], [, b]) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN)
    const lines = slowest.map(([file, { seconds }]) => `${seconds.toFixed(1).padStart(7)}  ${file}\n`)
    return `\nSlowest files, in seconds:\n${lines.join('')}`
  }
}

interface Details {
  type?: string | undefined
  duration_ms: number
}
