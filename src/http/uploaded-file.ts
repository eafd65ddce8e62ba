import type { FileHandle } from 'node:fs/promises'
import { invalidInput, type Refusal } from '../errors.ts'

/** An uploaded file, on our disk until the request is over. */
export interface UploadedFile {
  /** The file name that the client sent. */
  name: string
  size: number
  sha256: string
  handle: FileHandle
  /** Reads the file from the start, any number of times. A piece is valid until the next one is read. */
  read(): AsyncIterable<Buffer>
}

/** The content of a file that is small enough to be held in memory. */
export async function readSmallFile(file: UploadedFile, bytesMax: number): Promise<Buffer> {
  if (file.size > bytesMax) throw badFile(`has ${file.size} bytes, and ${bytesMax} is the most`)
  const pieces: Buffer[] = []
  for await (const piece of file.read()) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

export function badFile(message: string): Refusal {
  return invalidInput([{ path: 'file', message }])
}
