import type { Database } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Chunks } from './extract.ts'

/** A replica may not have what its reader has just made. So what is missing there is looked for at the primary. */
export async function readReplicaFirst(
  work: Work,
  { replica, primary }: { replica: Database; primary: Database },
  { isExtract }: { isExtract: boolean }
): Promise<unknown> {
  if (isExtract) return readChunks(work, { replica, primary })
  try {
    return await work(replica)
  } catch (error) {
    if (!isNotFound(error)) throw error
    return work(primary)
  }
}

type Work = (database: Database) => unknown

/** The first chunk tells whether the replica has it. */
async function* readChunks(work: Work, { replica, primary }: { replica: Database; primary: Database }): Chunks {
  let chunks = (work(replica) as Chunks)[Symbol.asyncIterator]()
  let chunk = await chunks.next().catch((error) => {
    if (!isNotFound(error)) throw error
    chunks = (work(primary) as Chunks)[Symbol.asyncIterator]()
    return chunks.next()
  })
  for (; !chunk.done; chunk = await chunks.next()) yield chunk.value
}

function isNotFound(error: unknown): boolean {
  return error instanceof Refusal && error.status === 404
}
