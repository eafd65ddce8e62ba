import {
  GSM_CHARACTERS,
  GSM_CODES,
  GSM_ESCAPE,
  GSM_EXTENSION_CHARACTERS,
  GSM_EXTENSION_CODES
} from '../gsm/gsm-alphabet.ts'

/*
 * Texts as the bytes of short_message. GSM is unpacked, one septet per octet, as SMPP carriers take it. Whether 0 means
 * GSM or Latin-1 is each carrier's choice, which the caller passes.
 */

export type TextEncoding = 'gsm' | 'latin1' | 'ucs2'

/** SMPP 3.4, paragraph 5.2.19. 0 is the carrier's default alphabet. */
const DATA_CODINGS: Readonly<Record<TextEncoding, number>> = { gsm: 0x00, latin1: 0x03, ucs2: 0x08 }

const NOT_IN_GSM = 0xffff
/** By UTF-16 unit: its code, with the escape in the upper octet when it needs one. Up to €, the highest in GSM. */
const GSM_CODES_BY_UNIT = readCodes()

/** Whether no character gets lost. A text with € is not in Latin-1; every text is in UCS-2. */
export function isEncodable(text: string, encoding: TextEncoding): boolean {
  if (encoding === 'ucs2') return true
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (encoding === 'gsm' ? gsmCode(unit) === NOT_IN_GSM : unit > 0xff) return false
  }
  return true
}

/** Throws on a character that the encoding does not have: another one in its place would be another text. */
export function encodeText(text: string, encoding: TextEncoding): { dataCoding: number; bytes: Buffer } {
  return { dataCoding: DATA_CODINGS[encoding], bytes: toBytes(text, encoding) }
}

/**
 * Never throws: what makes no sense is read as well as can be. Headers of segments (esm_class 0x40) are not cut off.
 */
export function decodeText(
  bytes: Buffer,
  dataCoding: number,
  { defaultEncoding }: { defaultEncoding: TextEncoding }
): string {
  const encoding = encodingOf(dataCoding) ?? defaultEncoding
  if (encoding === 'ucs2') return fromUcs2(bytes)
  return encoding === 'gsm' ? fromGsm(bytes) : bytes.toString('latin1')
}

/** Undefined for the carrier's default, and for what SMPP reserves. */
function encodingOf(dataCoding: number): TextEncoding | undefined {
  switch (dataCoding) {
    case 0x01: // IA5, the lower half of Latin-1.
    case 0x02: // Octets without a meaning, as 0x04.
    case 0x03:
    case 0x04:
      return 'latin1'
    case 0x08:
      return 'ucs2'
  }
  // From here on 3GPP TS 23.038, chapter 4, which carriers pass through: flash messages, message waiting.
  const group = dataCoding >> 4
  if (group >= 0x1 && group <= 0x7) return GSM_GROUP_ALPHABETS[(dataCoding >> 2) & 3]
  if (group === 0xc || group === 0xd) return 'gsm'
  if (group === 0xe) return 'ucs2'
  if (group === 0xf) return dataCoding & 0x04 ? 'latin1' : 'gsm'
  return undefined
}

/** Bits 3 and 2 of the general groups: GSM, 8-bit data, UCS-2, reserved. */
const GSM_GROUP_ALPHABETS: readonly TextEncoding[] = ['gsm', 'latin1', 'ucs2', 'gsm']

function toBytes(text: string, encoding: TextEncoding): Buffer {
  switch (encoding) {
    case 'gsm':
      return toGsm(text)
    case 'latin1':
      for (let index = 0; index < text.length; index++) {
        if (text.charCodeAt(index) > 0xff) throw notInAlphabet(text, index, 'Latin-1')
      }
      return Buffer.from(text, 'latin1')
    case 'ucs2':
      // A surrogate without its half becomes U+FFFD: also one unit, so that segments stay what they were counted to be.
      return Buffer.from(text.toWellFormed(), 'utf16le').swap16()
  }
}

function toGsm(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(2 * text.length)
  let at = 0
  for (let index = 0; index < text.length; index++) {
    const code = gsmCode(text.charCodeAt(index))
    if (code === NOT_IN_GSM) throw notInAlphabet(text, index, 'GSM')
    if (code > 0xff) bytes[at++] = GSM_ESCAPE
    bytes[at++] = code
  }
  return bytes.subarray(0, at)
}

function fromGsm(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] ?? 0
    if (code !== GSM_ESCAPE) text += gsmCharacter(code)
    else if (++at < bytes.length) text += gsmExtensionCharacter(bytes[at] ?? 0)
  }
  return text
}

/** A septet has no eighth bit: a carrier that sets it means Latin-1. */
function gsmCharacter(code: number): string {
  return GSM_CHARACTERS[code] ?? String.fromCharCode(code)
}

/**
 * 3GPP TS 23.038, paragraph 6.2.1.1: a code that is not in the table is of the default alphabet; two escapes are a
 * space.
 */
function gsmExtensionCharacter(code: number): string {
  if (code === GSM_ESCAPE) return ' '
  return GSM_EXTENSION_CHARACTERS.get(code) ?? gsmCharacter(code)
}

function fromUcs2(bytes: Buffer): string {
  const isOdd = bytes.length % 2 === 1
  return Buffer.from(isOdd ? bytes.subarray(0, -1) : bytes)
    .swap16()
    .toString('utf16le')
}

function gsmCode(unit: number): number {
  return GSM_CODES_BY_UNIT[unit] ?? NOT_IN_GSM
}

function readCodes(): Uint16Array {
  const codes = new Uint16Array('€'.charCodeAt(0) + 1).fill(NOT_IN_GSM)
  for (const [character, code] of GSM_CODES) codes[character.charCodeAt(0)] = code
  for (const [character, code] of GSM_EXTENSION_CODES) codes[character.charCodeAt(0)] = (GSM_ESCAPE << 8) | code
  return codes
}

function notInAlphabet(text: string, index: number, alphabet: string): Error {
  const codePoint = text.codePointAt(index) ?? 0
  return new Error(`U+${codePoint.toString(16).toUpperCase().padStart(4, '0')} is not in ${alphabet}.`)
}
