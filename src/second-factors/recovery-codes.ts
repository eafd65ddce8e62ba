import { hash, randomBytes } from 'node:crypto'
import type { Sql } from '../database/database.ts'
import { deleteRecoveryCode, replaceRecoveryCodes } from './recovery-codes.store.ts'

const CODES = 10
const CODE_BYTES = 10
/** Crockford's base32: no letter is taken for a digit. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Makes ten codes in place of all earlier ones. Only this call knows them: hashes are stored. */
export async function makeRecoveryCodes(sql: Sql, personId: number): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode)
  await replaceRecoveryCodes(sql, { personId, hashes: codes.map(hashCode) })
  return codes.map(shown)
}

/** Uses a code up; false if it is none of the person's, or was used before. */
export async function takeRecoveryCode(sql: Sql, personId: number, text: string): Promise<boolean> {
  return deleteRecoveryCode(sql, { personId, hash: hashCode(plain(text)) })
}

/** 80 bits: sixteen letters and digits. */
function newCode(): string {
  let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`)
  let code = ''
  for (let place = 0; place < (CODE_BYTES * 8) / 5; place++) {
    code += ALPHABET[Number(bits & 31n)]
    bits >>= 5n
  }
  return code
}

/** In groups of four, as people read them out. */
function shown(code: string): string {
  return code.replaceAll(/.{4}(?=.)/g, '$&-')
}

/** As it was made, whatever a person typed around it. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
}

function hashCode(code: string): Buffer {
  return hash('sha256', code, 'buffer')
}
