import { createPrivateKey } from 'node:crypto'
import { resolve } from 'node:path'
import { isWebAddress, readText } from '../named-files.ts'
import type { ServiceAccountKey } from './rbm-settings.ts'

/** Google's key file, or its problem. Never quotes the file: it holds a private key. */
export function readServiceAccount(folder: string, name: string): { key: ServiceAccountKey } | { problem: string } {
  const read = readText(resolve(folder, name))
  if ('problem' in read) return read
  const fields = toFields(read.text)
  if (!fields) return { problem: 'is not the JSON of a Google key' }
  const { client_email: clientEmail, private_key: privateKey, token_uri: tokenUri } = fields
  if (typeof clientEmail !== 'string' || clientEmail === '') return { problem: 'has no client_email' }
  if (typeof privateKey !== 'string' || privateKey === '') return { problem: 'has no private_key' }
  if (!isPrivateKey(privateKey)) return { problem: 'has a private_key that is no key in PEM' }
  if (typeof tokenUri !== 'string' || tokenUri === '') return { problem: 'has no token_uri' }
  if (!isWebAddress(tokenUri)) return { problem: 'has a token_uri that is no http or https address' }
  return { key: { clientEmail, privateKey, tokenUri } }
}

function toFields(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // Its message would quote the text.
  }
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === 'private'
  } catch {
    return false // It throws for whatever is no key.
  }
}
