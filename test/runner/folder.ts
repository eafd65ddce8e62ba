import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/*
 * Where a run keeps its databases and whatever tests write: in memory, if there is plenty. Tests make and drop a database
 * each, some 500 files; on a disk that takes most of their time.
 */

const MEMORY = '/dev/shm'
/** A run takes 1 to 2 GB. */
const ROOM_MIN_BYTES = 4 * 2 ** 30
const MEMORY_MIN_BYTES = 8 * 2 ** 30

export async function makeRunFolder(): Promise<{ folder: string; temporary: string }> {
  const folder = (await inMemory()) ?? (await mkdtemp(join(tmpdir(), 'chappe-test-')))
  // PostgreSQL may run as another user, who must get to its folders.
  await chmod(folder, 0o711)
  const temporary = join(folder, 'tmp')
  await mkdir(temporary, { mode: 0o711 })
  return { folder, temporary }
}

async function inMemory(): Promise<string | undefined> {
  const room = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0
  )
  if (room < ROOM_MIN_BYTES || process.availableMemory() < MEMORY_MIN_BYTES) return undefined
  const folder = await mkdtemp(join(MEMORY, 'chappe-test-'))
  if (await canExecute(folder)) return folder
  await rm(folder, { recursive: true, force: true })
  return undefined
}

/** PostgreSQL's binaries are copied into data folders where its user can't reach them; containers may forbid to run them. */
async function canExecute(folder: string): Promise<boolean> {
  const program = join(folder, 'program')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 })
  const isGood = await promisify(execFile)(program).then(
    () => true,
    () => false
  )
  await rm(program)
  return isGood
}
