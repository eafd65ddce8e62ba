import { createPublicKey, generateKeyPair, type KeyObject, randomBytes, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { RbmConduct } from './conduct.ts'

/* OAuth 2.0 for service accounts: RFC 7523 as Google implements it. A client signs a claim with its key to get a token. */

/** Google's key file. */
export interface ServiceAccount {
  type: 'service_account'
  project_id: string
  private_key_id: string
  private_key: string
  client_email: string
  client_id: string
  auth_uri: string
  token_uri: string
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const SCOPE = 'https://www.googleapis.com/auth/rcsbusinessmessaging'
const CLAIM_SECONDS_MAX = 3_600
/** Tolerates clocks that differ. */
const SKEW_SECONDS = 60
const RSA_BITS = 2_048

interface Keys {
  privateKey: string
  publicKey: KeyObject
}

/** One key per process: to generate it takes a tenth of a second. */
let keys: Promise<Keys> | undefined

/** The key of a client, with its public half. `url` is the address that issues tokens. */
export async function newServiceAccount(url: string): Promise<{ account: ServiceAccount; publicKey: KeyObject }> {
  keys ??= makeKeys()
  const { privateKey, publicKey } = await keys
  const account: ServiceAccount = {
    type: 'service_account',
    project_id: 'rbm-sandbox',
    private_key_id: 'sandbox',
    private_key: privateKey,
    client_email: 'sandbox@rbm-sandbox.iam.gserviceaccount.com',
    client_id: '100000000000000000000',
    auth_uri: `${url}/auth`,
    token_uri: `${url}/token`
  }
  return { account, publicKey }
}

async function makeKeys(): Promise<Keys> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: RSA_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' }
  })
  return { privateKey, publicKey: createPublicKey(publicKey) }
}

export type TokenAnswer =
  | { access_token: string; expires_in: number; token_type: 'Bearer' }
  | { error: string; error_description: string }

export class RbmTokens {
  readonly #account: ServiceAccount
  readonly #publicKey: KeyObject
  readonly #conduct: () => RbmConduct
  readonly #issued = new Map<string, { callsLeft: number; expiresAt: number }>()

  constructor({ account, publicKey }: { account: ServiceAccount; publicKey: KeyObject }, conduct: () => RbmConduct) {
    this.#account = account
    this.#publicKey = publicKey
    this.#conduct = conduct
  }

  /** `form` is the body of the request. */
  issue(form: string): TokenAnswer {
    const parameters = new URLSearchParams(form)
    if (parameters.get('grant_type') !== GRANT_TYPE) {
      return {
        error: 'unsupported_grant_type',
        error_description: `Invalid grant_type: ${parameters.get('grant_type')}`
      }
    }
    const problem = this.#check(parameters.get('assertion') ?? '')
    if (problem) return problem
    const { tokenCalls, tokenMs } = this.#conduct()
    const token = `ya29.${randomBytes(24).toString('base64url')}`
    this.#issued.set(token, { callsLeft: tokenCalls, expiresAt: Date.now() + tokenMs })
    return { access_token: token, expires_in: Math.max(1, Math.floor(tokenMs / 1_000)), token_type: 'Bearer' }
  }

  /** Whether the header has a valid token. Each check counts as a call. */
  use(authorization: string | undefined): boolean {
    if (!authorization?.startsWith('Bearer ')) return false
    const token = authorization.slice('Bearer '.length)
    const issued = this.#issued.get(token)
    if (!issued) return false
    if (issued.callsLeft > 0 && issued.expiresAt > Date.now()) {
      issued.callsLeft--
      return true
    }
    this.#issued.delete(token)
    return false
  }

  forget(): void {
    this.#issued.clear()
  }

  #check(assertion: string): { error: string; error_description: string } | undefined {
    const [header = '', payload = '', signature = '', ...more] = assertion.split('.')
    const claims = decode(payload)
    if (more.length > 0 || decode(header)?.alg !== 'RS256' || !claims)
      return invalid('Invalid JWT: not a signed RS256 JWT.')
    const signed = Buffer.from(`${header}.${payload}`)
    if (!verify('RSA-SHA256', signed, this.#publicKey, Buffer.from(signature, 'base64url'))) {
      return invalid('Invalid JWT Signature.')
    }
    if (claims.iss !== this.#account.client_email) return invalid('Invalid grant: account not found.')
    if (claims.aud !== this.#account.token_uri) return invalid(`Invalid JWT: aud must be ${this.#account.token_uri}.`)
    const { iat, exp } = claims
    const now = Date.now() / 1_000
    if (typeof iat !== 'number' || typeof exp !== 'number' || exp - iat > CLAIM_SECONDS_MAX) {
      return invalid('Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.')
    }
    if (iat > now + SKEW_SECONDS || exp < now - SKEW_SECONDS) return invalid('Invalid JWT: it is not valid now.')
    if (
      !String(claims.scope ?? '')
        .split(' ')
        .includes(SCOPE)
    ) {
      return { error: 'invalid_scope', error_description: `The scope must have ${SCOPE}.` }
    }
    return undefined
  }
}

function invalid(description: string): { error: string; error_description: string } {
  return { error: 'invalid_grant', error_description: description }
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // Text that is not JSON is no JWT.
  }
}
