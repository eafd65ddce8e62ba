import { relative } from 'node:path'
import type { run } from 'node:test'
import { ROOT } from './choose-files.ts'

type TestEvents = ReturnType<typeof run>

const SLOWEST_SHOWN = 15

/** What came of the tests of a run, or of several. */
export class Report {
  passed = 0
  failed = 0
  readonly #secondsByFile = new Map<string, number>()

  count(isGood: boolean): void {
    if (isGood) this.passed++
    else this.failed++
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
    this.count(isGood)
    if (event.nesting > 0 || event.file === undefined) return
    const file = relative(ROOT, event.file)
    this.#secondsByFile.set(file, (this.#secondsByFile.get(file) ?? 0) + ms / 1000)
  }

  /** The suite's time is these files' time: whoever adds tests sees what they cost. */
  slowest(): string {
    const slowest = [...this.#secondsByFile].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN)
    const lines = slowest.map(([file, seconds]) => `${seconds.toFixed(1).padStart(7)}  ${file}\n`)
    return `\nSlowest files, in seconds:\n${lines.join('')}`
  }
}

interface Details {
  type?: string | undefined
  duration_ms: number
}
