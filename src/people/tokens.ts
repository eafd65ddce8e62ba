import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSigner, createVerifier } from 'fast-jwt'
import { makeDataFolder } from '../database/data-folder.ts'
import { isDatabaseUnavailable, type Pool } from '../database/database.ts'
import { CannotStart } from '../errors.ts'
import type { ShownToken } from '../http/caller.ts'
import { findTokenKey, insertTokenKey } from './token-keys.store.ts'

/*
 * Tokens are JWTs signed with Ed25519. Each data folder has a private key of its own, in a file that only its owner
 * reads; the public keys are in the database, so that every process verifies every token and no secret is shared.
 */

export interface TokenClaims {
  accountId: number
  /** The person's token version when it was issued; a new password raises it. */
  version: number
}

/** The claims of a token. Its id is that of the session. */
export interface VerifiedToken extends TokenClaims, ShownToken {}

export interface IssuedToken extends ShownToken {
  token: string
}

export interface Tokens {
  readonly ttlSeconds: number
  /** With `ttlSeconds`, for at most this time. */
  issue(claims: TokenClaims, options?: { ttlSeconds?: number | undefined }): IssuedToken
  /** The claims of a token that we signed and that has not expired. */
  verify(token: string): Promise<VerifiedToken | undefined>
}

/** A verified token need not be verified again for a while. */
const VERIFIED_MAX = 10_000

export async function createTokens(
  pool: Pool,
  { dataFolder, ttlSeconds }: { dataFolder: string; ttlSeconds: number }
): Promise<Tokens> {
  const { id, privateKey, publicKey } = await readSigningKey(dataFolder)
  await insertTokenKey(pool, { id, publicKey })

  const publicKeys = new Map([[id, publicKey]])
  async function publicKeyOf({ header }: { header: { kid?: unknown } }): Promise<string> {
    const keyId = String(header.kid)
    const known = publicKeys.get(keyId) ?? (await findTokenKey(pool, keyId))
    if (!known) throw new Error('The token names a key that is not ours.')
    publicKeys.set(keyId, known)
    return known
  }

  const sign = createSigner({ algorithm: 'EdDSA', key: privateKey, kid: id })
  // Only EdDSA: a token that asks for "none" or HMAC is refused before anything is computed.
  const verify = createVerifier({ algorithms: ['EdDSA'], key: publicKeyOf, cache: VERIFIED_MAX })
  return {
    ttlSeconds,
    issue({ accountId, version }, { ttlSeconds: wanted = ttlSeconds } = {}) {
      const id = randomUUID()
      const seconds = Math.min(wanted, ttlSeconds)
      const now = Math.floor(Date.now() / 1000)
      const token = sign({ sub: String(accountId), ver: version, jti: id, iat: now, exp: now + seconds })
      return { token, id, expiresAt: new Date((now + seconds) * 1000) }
    },
    async verify(token) {
      try {
        const claims = await verify(token)
        const [accountId, version] = [Number(claims.sub), Number(claims.ver)]
        if (!Number.isSafeInteger(accountId)) return undefined
        return { accountId, version, id: String(claims.jti), expiresAt: new Date(Number(claims.exp) * 1000) }
      } catch (error) {
        const cause = (error as { originalError?: unknown }).originalError
        if (isDatabaseUnavailable(cause)) throw cause
        return undefined // Malformed, forged or expired: the caller treats them alike.
      }
    }
  }
}

interface SigningKey {
  id: string
  privateKey: string
  publicKey: string
}

/** Of two processes that make the file at once, one wins and both use its key. */
async function readSigningKey(dataFolder: string): Promise<SigningKey> {
  await makeDataFolder(dataFolder, 0o700)
  const file = join(dataFolder, 'token-key.json')
  const found = await readFile(file, 'utf8').catch(ignoreAbsent)
  if (found !== undefined) return readKey(found, file)

  const draft = `${file}.draft-${process.pid}`
  await writeFile(draft, JSON.stringify(newSigningKey()), { mode: 0o600, flush: true })
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft, { force: true })
  return JSON.parse(await readFile(file, 'utf8'))
}

function readKey(text: string, file: string): SigningKey {
  try {
    return JSON.parse(text)
  } catch {
    throw new CannotStart(`${file} holds no key. Remove it: Chappe makes a new one, and everybody logs in again.`)
  }
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function newSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' }
  })
  return { id: createHash('sha256').update(publicKey).digest('base64url').slice(0, 22), privateKey, publicKey }
}
