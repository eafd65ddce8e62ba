import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { CannotStart } from '../errors.ts'

/** The user that PostgreSQL runs under when we are root, because it refuses to be root itself. */
export interface RunAs {
  ids: { uid: number; gid: number }
  canReach(path: string): Promise<boolean>
  refuseUnreachable(folder: string): Promise<void>
}

/**
 * Our own user, unless that is root. As root: the user that owns the data already, else `postgres`, else `nobody`. The
 * user must be known on this machine: initdb looks its own name up.
 */
export async function whoRunsPostgres(dataFolder: string): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const users = await readUsers()
  const owner = await stat(dataFolder).then(
    ({ uid }) => uid,
    () => undefined
  )
  const user =
    users.find(({ uid }) => owner !== undefined && owner !== 0 && uid === owner) ??
    users.find(({ name }) => name === 'postgres') ??
    users.find(({ name }) => name === 'nobody')
  if (!user || user.uid === 0) {
    throw new CannotStart(
      'PostgreSQL refuses to run as root, and this machine has neither a user "postgres" nor "nobody": start Chappe as an ordinary user, or set DATABASE_URL.'
    )
  }
  const { name, uid, gid } = user
  const canReach = (path: string) => test({ path, uid, gid })
  return {
    ids: { uid, gid },
    canReach,
    async refuseUnreachable(folder) {
      if (await canReach(folder)) return
      throw new CannotStart(
        `PostgreSQL refuses to run as root, so Chappe runs it as the user "${name}" (uid ${uid}), and that user can't reach ${folder}. ` +
          `Set CHAPPE_DATA to a folder it can reach, for example CHAPPE_DATA=/var/lib/chappe; or let it pass with "chmod o+x" on the folders above; ` +
          'or start Chappe as an ordinary user; or set DATABASE_URL.'
      )
    }
  }
}

async function readUsers(): Promise<{ name: string; uid: number; gid: number }[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

/** Asks the system itself, as that user: permission bits, ACLs and mount options are then all taken into account. */
async function test({ path, uid, gid }: { path: string; uid: number; gid: number }): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', 'test -x "$0"', path], { uid, gid, cwd: '/', stdio: 'ignore' })
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.once('exit', resolve)
  child.once('error', () => resolve(null))
  return (await promise) === 0
}
