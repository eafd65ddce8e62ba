import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CannotStart } from '../errors.ts'

/** Makes the data folder; false if it is there. */
export async function makeDataFolder(folder: string, mode?: number): Promise<boolean> {
  return makeFolder(folder, mode).catch((error: Error) => {
    throw new CannotStart(`The folder ${folder} can't be made (${error.message}). Choose another CHAPPE_DATA.`)
  })
}

/**
 * Makes a folder and the missing ones above it; false if it is there. Node's own recursive mkdir never ends where the parent
 * exists and the system still says ENOENT, as in /proc, and the process can't be stopped meanwhile.
 */
async function makeFolder(folder: string, mode: number | undefined): Promise<boolean> {
  try {
    return await makeOne(folder, mode)
  } catch (error) {
    const parent = dirname(folder)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error
    await makeFolder(parent, mode)
    return makeOne(folder, mode)
  }
}

/** Another process may make it at the same moment. */
async function makeOne(folder: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(folder, mode)
    return true
  } catch (error) {
    if (await isFolder(folder)) return false
    throw error
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false
  )
}
