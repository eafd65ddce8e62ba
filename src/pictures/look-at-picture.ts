/*
 * What a file of a picture says of itself. Only its content counts: neither its name nor the type that a client gives. By hand,
 * since libraries for the size of a picture read dozens of formats and do not notice a file that is cut off.
 */

export const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

export interface Looked {
  mediaType: MediaType
  width: number
  height: number
}

/** The size of a whole JPEG, PNG or GIF; undefined for everything else. */
export function lookAtPicture(content: Buffer): Looked | undefined {
  return lookAtJpeg(content) ?? lookAtPng(content) ?? lookAtGif(content)
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Length and type before the data of a chunk, checksum after it. */
const CHUNK_AROUND = 12
const PNG_SIZE_AT = PNG.length + 8

/** Chunks, from the one with the size to the one that says that it is over. */
function lookAtPng(content: Buffer): Looked | undefined {
  if (!content.subarray(0, PNG.length).equals(PNG) || chunkType(content, PNG.length) !== 'IHDR') return undefined
  for (let at = PNG.length; at + CHUNK_AROUND <= content.length; at += CHUNK_AROUND + content.readUInt32BE(at)) {
    if (chunkType(content, at) !== 'IEND') continue
    return {
      mediaType: 'image/png',
      width: content.readUInt32BE(PNG_SIZE_AT),
      height: content.readUInt32BE(PNG_SIZE_AT + 4)
    }
  }
  return undefined
}

function chunkType(content: Buffer, at: number): string {
  return content.toString('latin1', at + 4, at + 8)
}

const GIF_TRAILER = 0x3b
const GIF_BYTES_MIN = 14

function lookAtGif(content: Buffer): Looked | undefined {
  const isGif = /^GIF8[79]a/.test(content.toString('latin1', 0, 6))
  if (!isGif || content.length < GIF_BYTES_MIN || content.at(-1) !== GIF_TRAILER) return undefined
  return { mediaType: 'image/gif', width: content.readUInt16LE(6), height: content.readUInt16LE(8) }
}

const JPEG_START = Buffer.from([0xff, 0xd8, 0xff])
const JPEG_END = Buffer.from([0xff, 0xd9])
const START_OF_SCAN = 0xda
/** Markers from C0 to CF begin a frame, except for these: tables, extensions, conditioning. */
const NO_FRAME = new Set([0xc4, 0xc8, 0xcc])

/** Segments up to the first scan; among them is the frame with the size. Cameras may add data after the end. */
function lookAtJpeg(content: Buffer): Looked | undefined {
  if (!content.subarray(0, JPEG_START.length).equals(JPEG_START)) return undefined
  let size: { width: number; height: number } | undefined
  for (let at = 2; at + 9 < content.length && content[at] === 0xff; ) {
    const marker = content[at + 1] as number
    if (marker === 0xff) {
      at++
      continue
    }
    if (marker === START_OF_SCAN) {
      return size && content.indexOf(JPEG_END, at) > 0 ? { mediaType: 'image/jpeg', ...size } : undefined
    }
    if (marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.has(marker)) {
      size = { height: content.readUInt16BE(at + 5), width: content.readUInt16BE(at + 7) }
    }
    at += 2 + content.readUInt16BE(at + 2)
  }
  return undefined
}
