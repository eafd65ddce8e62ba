import { isUtf8 } from 'node:buffer'
import type { UploadedFile } from '../http/uploaded-file.ts'

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Bytes that are read for a byte order mark, and for the zeros of UTF-16. */
const SAMPLE_BYTES = 1024
/** A character of UTF-8 takes at most this many bytes. */
const CHARACTER_BYTES_MAX = 4

/**
 * A byte order mark decides; then zeros in every other byte; then whether the whole file is valid UTF-8, because one accent on
 * the last line is enough to tell. The rest is Windows-1252, which Excel writes in the West.
 */
export async function detectEncoding(file: UploadedFile): Promise<TextEncoding> {
  const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
  const sample = buffer.subarray(0, bytesRead)
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le'
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be'
  const zeros = [0, 0]
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (odd > sample.length / 4 && even === 0) return 'utf-16le'
  if (even > sample.length / 4 && odd === 0) return 'utf-16be'
  return (await isAllUtf8(file)) ? 'utf-8' : 'windows-1252'
}

async function isAllUtf8(file: UploadedFile): Promise<boolean> {
  let cut: Buffer = Buffer.alloc(0)
  for await (const chunk of file.read()) {
    const bytes = cut.length > 0 ? Buffer.concat([cut, chunk]) : chunk
    const end = lastWholeCharacter(bytes)
    if (!isUtf8(bytes.subarray(0, end))) return false
    cut = Buffer.from(bytes.subarray(end))
  }
  return isUtf8(cut)
}

/** The start of a character that may go on in the next chunk. */
function lastWholeCharacter(bytes: Buffer): number {
  for (let back = 1; back < CHARACTER_BYTES_MAX && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc0) return bytes.length - back
    if (byte < 0x80) break
  }
  return bytes.length
}

/** The text of a file, piece by piece, without the mark at its start. */
export async function* decodeText(file: UploadedFile, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of file.read()) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}
