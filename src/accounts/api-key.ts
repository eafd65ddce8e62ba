import { hash, randomBytes } from 'node:crypto'

/** The pair that a program identifies itself with. The key is shown once; only its hash is stored. */
export interface KeyPair {
  appId: string
  apiKey: string
}

export function newKeyPair(): KeyPair {
  return { appId: `app_${randomBytes(12).toString('hex')}`, apiKey: newApiKey() }
}

export function newApiKey(): string {
  return `key_${randomBytes(32).toString('base64url')}`
}

export function hashApiKey(apiKey: string): Buffer {
  return hash('sha256', apiKey, 'buffer')
}
