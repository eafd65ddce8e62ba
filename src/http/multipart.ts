import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Busboy, type BusboyConfig } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type InputProblem, invalidInput, Refusal } from '../errors.ts'
import { nestFields } from './form.ts'
import type { UploadedFile } from './uploaded-file.ts'

/*
 * `multipart/form-data`, parts in any order. The file goes to disk before any work begins: a slow client holds nothing
 * but its socket, the text parts may come after the file, and a repeat can be told by the file's hash. The file has no
 * name on disk once it is open, so that nothing of it is left whatever dies.
 */

export const FILE_BYTES_MAX = 100 * 1024 * 1024
/** Room for text parts and boundaries around the file. */
const AROUND_BYTES_MAX = 4 * 1024 * 1024
const FIELD_BYTES_MAX = 1024 * 1024
const FIELDS_MAX = 200
const READ_BYTES = 16 * 1024
/** The turns of the event loop that a parser gets to finish; it takes a few. */
const FINISH_TURNS = 100

/** What the parser makes of octets that are no UTF-8. It does not tell them from this character in a text, which nobody sends. */
const UNREADABLE = '\uFFFD'

/** The largest body of an operation that takes a file. */
export const UPLOAD_BYTES_MAX = FILE_BYTES_MAX + AROUND_BYTES_MAX

/** A multipart body, received whole. */
export class Upload {
  readonly fields: unknown
  readonly file: UploadedFile | undefined

  constructor(fields: unknown, file: UploadedFile | undefined) {
    this.fields = fields
    this.file = file
  }

  async discard(): Promise<void> {
    await this.file?.handle.close()
  }
}

/** Teaches the server to receive files into a folder, for the operations that take one. */
export function acceptUploads(app: FastifyInstance, folder: string): void {
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: Readable) => {
    if (!request.routeOptions.config.takesFile) {
      throw new Refusal(415, 'unsupported_media_type', 'This operation takes no file: send JSON or a form.')
    }
    if (Number(request.headers['content-length']) > UPLOAD_BYTES_MAX) throw tooLarge()
    return receiveUpload(payload, request.headers['content-type'] ?? '', folder)
  })
}

async function receiveUpload(payload: Readable, contentType: string, folder: string): Promise<Upload> {
  const parser = openParser(contentType)
  const pairs: [string, string][] = []
  const files: Promise<UploadedFile>[] = []
  const streams: Readable[] = []
  let problem: Refusal | undefined
  const refuse = (refusal: Refusal) => {
    problem ??= refusal
  }

  parser.on('field', (name: string | undefined, value, nameCut, valueCut) => {
    if (name === undefined) refuse(invalidInput([{ path: '', message: 'has a part without a name' }]))
    else if (nameCut || valueCut) refuse(invalidInput([{ path: name.slice(0, 100), message: 'is too long' }]))
    else if (value.includes(UNREADABLE)) refuse(invalidInput([{ path: name, message: 'is not in UTF-8' }]))
    else pairs.push([name, value])
  })
  parser.on('file', (name, stream, fileName) => {
    // The parser emits the same error below; without a listener here, this one would end the process.
    stream.on('error', () => undefined)
    if (name !== 'file' || files.length > 0) {
      if (name === 'file') refuse(invalidInput([{ path: 'file', message: 'must be one file, and there are several' }]))
      stream.resume()
      return
    }
    const stored = storeFile(stream, fileName ?? '', folder)
    // Awaited below; until then a failure must not count as unhandled.
    stored.catch(() => stream.resume())
    files.push(stored)
    streams.push(stream as Readable)
  })
  for (const limit of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const) {
    parser.on(limit, () => refuse(invalidInput([{ path: '', message: `has more than ${FIELDS_MAX} parts` }])))
  }

  let isOver = false
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<unknown>()
  const endUnfinished = async () => {
    await untilStored(files)
    if (isOver) return
    const error = new Error('A part of the multipart body ends within its headers.')
    parser.destroy(error)
    // Not left to the pipeline: a parser that finishes before the body, at its last boundary, would never end it.
    giveUp(error)
  }
  const parsing = pipeline(payload, limitBytes(UPLOAD_BYTES_MAX, endUnfinished), parser).then(
    () => undefined,
    (error: unknown) => {
      // The file of a body that is cut off never ends by itself.
      for (const stream of streams) stream.destroy(error as Error)
      return error
    }
  )
  const received = await Promise.race([parsing, givenUp])
  isOver = true
  const [stored] = await Promise.allSettled(files)
  const file = stored?.status === 'fulfilled' ? stored.value : undefined
  const notStored: unknown = stored?.status === 'rejected' ? stored.reason : undefined
  const failure =
    received !== undefined && !(notStored instanceof Refusal) ? toRefusal(received) : (problem ?? notStored)
  if (failure !== undefined) {
    await file?.handle.close()
    throw failure
  }
  try {
    return new Upload(nestFields(pairs), file)
  } catch (error) {
    // A field name nests too deep: the file is still ours to close.
    await file?.handle.close()
    throw error
  }
}

/**
 * Ends a parser that would wait for ever, because the body ends inside the headers of a part. By then the parser has
 * all bytes, and all files are stored.
 */
async function untilStored(files: readonly Promise<unknown>[]): Promise<void> {
  for (let stored = -1; stored !== files.length; ) {
    stored = files.length
    await Promise.allSettled(files)
    for (let turn = 0; turn < FINISH_TURNS; turn++) await nextTurn()
  }
}

function openParser(contentType: string) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldSize: FIELD_BYTES_MAX,
        fields: FIELDS_MAX,
        files: 2,
        parts: FIELDS_MAX + 2,
        fileSize: FILE_BYTES_MAX
      },
      isPartAFile: (_name, type, fileName) => fileName !== undefined || type === 'application/octet-stream'
    } as BusboyConfig)
  } catch {
    throw invalidInput([{ path: '', message: 'is multipart/form-data without a boundary' }])
  }
}

/** Writes a part to disk as it comes, at the pace of the disk. */
async function storeFile(
  stream: NodeJS.ReadableStream & { truncated?: boolean },
  name: string,
  folder: string
): Promise<UploadedFile> {
  const handle = await openNameless(folder).catch(refuseFull)
  try {
    const hash = createHash('sha256')
    let size = 0
    // Not destroyed when the disk is full: the parser reaches the end of the body only if the rest is read.
    for await (const chunk of (stream as Readable).iterator({ destroyOnReturn: false })) {
      hash.update(chunk)
      await handle.appendFile(chunk)
      size += chunk.length
    }
    if (stream.truncated) throw tooLarge()
    const bytes = { size, handle }
    return { name, size, sha256: hash.digest('hex'), handle, read: () => readFrom(bytes) }
  } catch (error) {
    await handle.close()
    return refuseFull(error)
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomUUID())
  const handle = await open(path, 'wx+', 0o600)
  await unlink(path)
  return handle
}

/** A full disk or quota is no mistake of the caller. */
function refuseFull(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error
  throw new Refusal(503, 'unavailable', 'There is no room for the file right now.', { retryAfterSeconds: 60 })
}

/** Reads by position: a file handle's own stream would close it at its end. */
async function* readFrom({ handle, size }: { handle: FileHandle; size: number }): AsyncGenerator<Buffer> {
  // One buffer for all pieces: a new one each time is garbage outside of the heap, which is collected late.
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  for (let position = 0; position < size; ) {
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

function limitBytes(bytesMax: number, onEnd: () => unknown) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > bytesMax) throw tooLarge()
      yield chunk
    }
    onEnd()
  }
}

function toRefusal(error: unknown): unknown {
  if (error instanceof Refusal) return error
  // Busboy's messages for a body that ends in the middle of a part, or has none.
  const isMalformed = error instanceof Error && /multipart|part terminated|unexpected end/i.test(error.message)
  const problem: InputProblem = { path: '', message: 'is not whole multipart/form-data' }
  return isMalformed ? invalidInput([problem]) : error
}

function tooLarge(): Refusal {
  return new Refusal(413, 'payload_too_large', `The file is larger than ${FILE_BYTES_MAX / 1024 / 1024} MiB.`)
}
