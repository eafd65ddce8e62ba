import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { atEnd } from '../service/cleanup.ts'

interface User {
  uid?: number
  gid?: number
}

/** The number of a process that has nothing to do with Chappe. */
export function startStranger(t: TestContext, user: User = {}): Promise<number> {
  return firstNumber(t, 'echo $$; exec cat', user)
}

/** The number of a process that has ended and whose parent never asks about it. */
export async function startZombie(t: TestContext, user: User = {}): Promise<number> {
  const pid = await firstNumber(t, 'sleep 600 & echo $!; exec cat', user)
  process.kill(pid, 'SIGKILL')
  return pid
}

/** What a script says first, once it has become `cat`: a shell could still ask about a child that ends, cat never does. */
async function firstNumber(t: TestContext, script: string, user: User): Promise<number> {
  const child = spawn('/bin/sh', ['-c', script], { ...user, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] })
  atEnd(t, () => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const echoed = once(child.stdout, 'data')
  child.stdin.write('.')
  await echoed
  return Number(line.toString())
}
