import { hash } from 'node:crypto'
import { type InputProblem, invalidInput } from '../errors.ts'
import { lookAtPicture } from '../pictures/look-at-picture.ts'
import type { LogoType } from './look.ts'

/** Every visit of the console loads it, and it is shown 28 pixels high. */
const BYTES_MAX = 128 * 1024
const SIDE_MAX = 1_024

/** The most characters of a logo in base64. */
export const LOGO_LENGTH_MAX = Math.ceil(BYTES_MAX / 3) * 4

export interface ReadLogo {
  content: Buffer
  mediaType: LogoType
  sha256: Buffer
}

/** A logo in base64, told by its content. No SVG: it may hold scripts. No GIF: it may move. */
export function readLogo(base64: string): ReadLogo {
  const content = Buffer.from(base64, 'base64')
  const looked = lookAtPicture(content)
  if (!looked || looked.mediaType === 'image/gif') throw problem('must be a whole PNG or JPEG, in base64')
  if (content.length > BYTES_MAX) throw problem(`has ${content.length} bytes, and ${BYTES_MAX} is the most`)
  const { mediaType, width, height } = looked
  if (Math.min(width, height) < 1 || Math.max(width, height) > SIDE_MAX) {
    throw problem(`has ${width} × ${height} pixels, and a side may have 1 to ${SIDE_MAX}`)
  }
  return { content, mediaType, sha256: hash('sha256', content, 'buffer') }
}

function problem(message: InputProblem['message']) {
  return invalidInput([{ path: 'logo', message }])
}
