import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SURROUNDINGS } from '../processes/process.ts'

/** Long enough for a restart, as a supervisor does it. */
const RESTART_PAUSE_MS = 300
const OUTPUT_MAX = 20_000
const STOP_TIMEOUT_MS = 40_000

/** A process of the service that is started again whenever it ends, as a supervisor would. */
export class ServiceNode {
  /** Where it listens, once it says that it is ready. */
  url: string | undefined
  starts = 0
  /** Ends that nobody asked for, with the last that it said. Before it was ready they are told apart: a start may fail. */
  readonly crashes: string[] = []
  readonly failedStarts: string[] = []
  readonly #settings: Record<string, string>
  #child: ChildProcess | undefined
  #exit: Promise<void> = Promise.resolve()
  #isWanted = false

  constructor(settings: Record<string, string>) {
    this.#settings = settings
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  start(): void {
    this.#isWanted = true
    this.starts++
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts')], {
      env: { ...SURROUNDINGS, HOME: process.env.HOME, PORT: '0', CHAPPE_LOG: 'warn', ...this.#settings },
      stdio: ['ignore', 'pipe', 'pipe']
    })
    this.#child = child
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-OUTPUT_MAX)
        if (this.url === undefined) this.url = /Chappe is running at (http:\S+)/.exec(output)?.[1]
      })
    }
    this.#exit = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        const wasReady = this.url !== undefined
        this.url = undefined
        this.#child = undefined
        resolve()
        if (!this.#isWanted) return
        const list = wasReady ? this.crashes : this.failedStarts
        list.push(`ended with ${code ?? signal}: ${output.slice(-2_000)}`)
        setTimeout(() => this.#isWanted && !this.#child && this.start(), RESTART_PAUSE_MS)
      })
    })
  }

  async kill(): Promise<void> {
    this.#isWanted = false
    this.#child?.kill('SIGKILL')
    await this.#exit
  }

  /** SIGSTOP, SIGCONT, SIGHUP. */
  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** As its operator stops it; false when it does not end in time, or not well. */
  async stop(): Promise<boolean> {
    this.#isWanted = false
    const child = this.#child
    if (!child) return true
    child.kill('SIGTERM')
    const hasEnded = await Promise.race([this.#exit.then(() => true), sleep(STOP_TIMEOUT_MS, false, { ref: false })])
    if (!hasEnded) await this.kill()
    return hasEnded && child.exitCode === 0
  }
}
