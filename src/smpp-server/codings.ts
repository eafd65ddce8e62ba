import { strict as assert } from 'node:assert'
import { decodeText, encodeText } from '../smpp/alphabets.ts'
import { StatusRefusal } from './statuses.ts'

/** What the octets of a submit are. */
export type Coding = 'gsm' | 'latin1' | 'ucs2' | 'binary'

const CODINGS: Readonly<Record<number, Coding>> = {
  0: 'gsm',
  1: 'latin1', // IA5, the lower half of Latin-1.
  2: 'binary',
  3: 'latin1',
  4: 'binary',
  8: 'ucs2'
}

/** Bits 3 and 2 of the group 0x1: 3GPP TS 23.038, chapter 4. */
const GROUP_1_CODINGS: readonly (Coding | undefined)[] = ['gsm', 'binary', 'ucs2', undefined]

/** SMPP 3.4, paragraph 5.2.19, and the groups of 3GPP TS 23.038 that carry a message class. Class 0 is flash. */
export function readCoding(dataCoding: number): { coding: Coding; flash: boolean } {
  const group = dataCoding >> 4
  const isClassZero = (dataCoding & 0x03) === 0
  let coding = CODINGS[dataCoding]
  let flash = false
  if (group === 0x1) [coding, flash] = [GROUP_1_CODINGS[(dataCoding >> 2) & 3], isClassZero]
  if (group === 0xf) [coding, flash] = [dataCoding & 0x04 ? 'binary' : 'gsm', isClassZero]
  if (!coding) throw new StatusRefusal('ESME_RINVDCS', `data_coding 0x${dataCoding.toString(16)} is unknown`)
  return { coding, flash: flash && coding !== 'binary' }
}

const TEXT_CODINGS = { gsm: 0x00, latin1: 0x03, ucs2: 0x08 } as const

/** The text that the octets of a submit are. */
export function decodeBody(body: Buffer, coding: Exclude<Coding, 'binary'>): string {
  return decodeText(body, TEXT_CODINGS[coding], { defaultEncoding: 'gsm' })
}

/**
 * The bodies of parts as one. Parts of one coding stay octets until they are together, since a character may be split
 * between two. Clients that choose the coding of each part get the text that each part is.
 */
export function joinBodies(parts: readonly { body: Buffer; coding: Coding }[]): { body: Buffer; coding: Coding } {
  const runs: { bodies: Buffer[]; coding: Coding }[] = []
  for (const { body, coding } of parts) {
    const before = runs.at(-1)
    if (before?.coding === coding) before.bodies.push(body)
    else runs.push({ bodies: [body], coding })
  }
  const joined = runs.map(({ bodies, coding }) => ({ body: Buffer.concat(bodies), coding }))
  const [only, ...others] = joined
  if (only && others.length === 0) return only
  const text = joined.map(({ body, coding }) => {
    assert(coding !== 'binary', 'data is never a part of a text')
    return decodeBody(body, coding)
  })
  return { body: encodeText(text.join(''), 'ucs2').bytes, coding: 'ucs2' }
}
