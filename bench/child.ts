import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from 'autocannon'
import { startEmbeddedServer } from '../src/database/embedded-server.ts'

/** A program of this repository in a process of its own. */
export interface Child {
  child: ChildProcess
  /** The address that it prints when it runs. */
  url: Promise<string>
  stop(): Promise<void>
}

const { NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env
/** Tests of benches start many processes; what one has compiled or bundled, the others need not. */
const COMPILED = NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE, ...(NODE_OPTIONS && { NODE_OPTIONS }) }

export function startChild(file: string, settings: Record<string, string>, parameters: readonly string[] = []): Child {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...parameters], {
    env: { PATH: process.env.PATH, ...COMPILED, ...settings },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const { promise: url, resolve, reject } = Promise.withResolvers<string>()
  url.catch(() => undefined) // A caller may await it; without one, the rejection must not end the process.
  let output = ''
  child.stdout.on('data', (chunk) => {
    if (output.length < 10_000) output += chunk
    const address = /running at ((?:http|smpp):\S+)/.exec(output)?.[1]
    if (address) resolve(address)
  })
  const ended = new Promise<void>((done) => {
    child.once('close', () => {
      reject(new Error(`${file} ended before it was ready:\n${output}`))
      done()
    })
  })
  return {
    child,
    url,
    async stop() {
      child.kill('SIGTERM')
      await ended
    }
  }
}

export const API_KEY = 'bench-admin-key'

/** A Chappe in a process of its own, and the folder of its database. */
export interface RunningChappe {
  url: string
  folder: string
  pid: number
}

/**
 * Chappe itself, with full durability, in a folder that is removed afterwards. CHAPPE_BENCH_DATA names a folder to use;
 * a second Chappe beside the first has one of its own.
 * With `postgres`, its embedded server runs with these settings.
 */
export async function withChappe(
  settings: Record<string, string>,
  work: (chappe: RunningChappe) => Promise<void>,
  postgres?: Record<string, string>
): Promise<void> {
  const given = isGivenFolderUsed ? undefined : process.env.CHAPPE_BENCH_DATA
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'chappe-bench-')))
  isGivenFolderUsed = true
  // Chappe takes over a server that already runs in its folder.
  const server = postgres && (await startEmbeddedServer(folder, { serverSettings: postgres }))
  const chappe = startChappe(folder, settings)
  try {
    await work({ url: await chappe.url, folder, pid: chappe.child.pid ?? 0 })
  } finally {
    await chappe.stop()
    await server?.stop()
    await rm(folder, { recursive: true, force: true })
    isGivenFolderUsed = false
  }
}

let isGivenFolderUsed = false

/** Chappe with its data in this folder. */
export function startChappe(folder: string, settings: Record<string, string>): Child {
  const usual = { CHAPPE_DATA: folder, CHAPPE_ADMIN_API_KEY: API_KEY, CHAPPE_LOG: 'warn', PORT: '0' }
  return startChild('../src/main.ts', { ...usual, ...settings })
}

/** The memory of a Chappe during some work, in MB, from its own metrics. */
export async function watchMemory<T>(
  url: string,
  work: () => Promise<T>
): Promise<{ result: T; idleMb: number; peakMb: number }> {
  const idleMb = await residentMb(url)
  let peakMb = idleMb
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      peakMb = Math.max(peakMb, await residentMb(url))
      await sleep(100)
    }
  })()
  try {
    const result = await work()
    return { result, idleMb, peakMb }
  } finally {
    isOver = true
    await watching
  }
}

async function residentMb(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1e6
}

export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = performance.now()
  const result = await work()
  return { result, seconds: (performance.now() - start) / 1000 }
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

export const MACHINE = `${cpus().length} cores (${cpus()[0]?.model}), Node ${process.version}`

export function sayMemory(what: string, { idleMb, peakMb }: { idleMb: number; peakMb: number }): void {
  say(
    `memory during the ${what}: ${peakMb.toFixed(0)} MB at most, ${(peakMb - idleMb).toFixed(0)} MB above idle (aim: at most 150)`
  )
}

/** Different French mobile numbers in no order, as in a real list. */
export function phoneNumber(index: number): string {
  return `+336${10_000_000 + ((index * 7_919) % 19_999_999)}`
}

/** Requests that were answered with success. A service that is too busy may shed some; nothing else may go wrong. */
export function countSuccesses(result: Result): number {
  const shed = result.statusCodeStats?.['503']?.count ?? 0
  const refused = result.non2xx - shed
  if (refused > 0 || result.errors > 0) throw new Error(`${refused} were refused, ${result.errors} failed`)
  if (shed > 0) say(`${shed} requests were answered with 503`)
  return result['2xx']
}

/** Sends a request to a Chappe that must succeed; on a busy machine it may be asked to come again a few times. */
export async function ask<T>(url: string, path: string, body?: unknown, timesMax = 10): Promise<T> {
  const isJson = body !== undefined && !(body instanceof FormData)
  const answer = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': API_KEY, ...(isJson && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData) })
  })
  const comeAgainSeconds = answer.status === 503 ? Number(answer.headers.get('retry-after')) : 0
  if (comeAgainSeconds > 0 && timesMax > 1) {
    await answer.arrayBuffer()
    await sleep(comeAgainSeconds * 1000)
    return ask(url, path, body, timesMax - 1)
  }
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json() as Promise<T>
}
