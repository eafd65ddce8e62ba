import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { atEnd } from '../service/cleanup.ts'

const run = promisify(execFile)

/** A real file system of its own, small enough to be filled. */
export interface SmallDisk {
  kind: string
  /** Where it is, to the processes that are started by `command`. */
  folder: string
  command(program: string[]): string[]
  /** Where it is to us, once such a process runs. */
  folderSeenBy(pid: number): string
}

const MOUNT = (megabytes: number) => ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs']

/** Root mounts it; anybody else may in a name space of his own, if the system lets him. Undefined if neither can be. */
export async function makeSmallDisk(t: TestContext, megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-disk-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  if (process.platform !== 'linux') return undefined
  const [user, group] = [process.getuid?.(), process.getgid?.()]
  if (user === 0) {
    if (!(await succeeds('mount', [...MOUNT(megabytes), folder]))) return undefined
    atEnd(t, () => run('umount', ['-l', folder]))
    return { kind: 'mounted by root', folder, command: (program) => program, folderSeenBy: () => folder }
  }
  // Mounting needs uid 0 within the name space; PostgreSQL refuses to run as that, so a second one leads back to a user.
  const wrap = (program: string[]) => [
    'unshare',
    '-rm',
    'sh',
    '-c',
    `mount ${MOUNT(megabytes).join(' ')} "$0" && exec unshare -U --map-user=${user} --map-group=${group} "$@"`,
    folder,
    ...program
  ]
  const [program = '', ...parameters] = wrap(['true'])
  if (!(await succeeds(program, parameters))) return undefined
  return {
    kind: 'mounted in a name space',
    folder,
    command: wrap,
    folderSeenBy: (pid) => `/proc/${pid}/root${folder}`
  }
}

async function succeeds(program: string, parameters: string[]): Promise<boolean> {
  return run(program, parameters).then(
    () => true,
    () => false // Not allowed here: that is the answer.
  )
}

/** Takes all that is left, to the last page, and gives it back when it is asked to. */
export async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'filler')
  const file = await open(path, 'w')
  for (const bytes of [1024 * 1024, 4096]) {
    const chunk = Buffer.alloc(bytes)
    while (await file.write(chunk).then(({ bytesWritten }) => bytesWritten === bytes, isFull));
  }
  await file.close()
  return () => rm(path)
}

function isFull(error: NodeJS.ErrnoException): false {
  if (error.code !== 'ENOSPC') throw error
  return false
}
