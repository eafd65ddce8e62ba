import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { atEnd } from './cleanup.ts'

interface User {
  uid?: number
  gid?: number
}

/** The number of a process that has nothing to do with Chappe. */
export function startStranger(t: TestContext, user: User = {}): Promise<number> {
  return firstNumber(t, 'echo $$; exec sleep 600', user)
}

/** The number of a process that has ended and whose parent never asks about it. */
export async function startZombie(t: TestContext, user: User = {}): Promise<number> {
  const pid = await firstNumber(t, 'sleep 600 & echo $!; exec sleep 600', user)
  process.kill(pid, 'SIGKILL')
  return pid
}

async function firstNumber(t: TestContext, script: string, user: User): Promise<number> {
  const child = spawn('/bin/sh', ['-c', script], { ...user, cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] })
  atEnd(t, () => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return Number(line.toString())
}
