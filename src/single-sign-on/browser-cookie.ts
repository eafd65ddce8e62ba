import { hash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/*
 * A cookie binds a log-in to the browser that began it. Without it, somebody could begin a log-in as themselves and let
 * another's browser finish it.
 */

const NAME = 'chappe_sign_on'
const FORM = /^[\w-]{43}$/

/** The value that the browser has from an earlier log-in, or undefined. */
export function readBrowser({ cookie = '' }: IncomingHttpHeaders): string | undefined {
  const value = cookie
    .split(';')
    .map((part) => part.trim().split('='))
    .find(([name]) => name === NAME)?.[1]
  return value !== undefined && FORM.test(value) ? value : undefined
}

export function newBrowser(): string {
  return randomBytes(32).toString('base64url')
}

/** Lax: the browser must send it when the provider leads back to us. */
export function browserCookie(
  browser: string,
  { isSecure, maxAgeSeconds }: { isSecure: boolean; maxAgeSeconds: number }
) {
  const attributes = `Path=/auth/oidc; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`
  return `${NAME}=${browser}; ${attributes}${isSecure ? '; Secure' : ''}`
}

/** Random values of 256 bits: there is nothing that a slow hash would protect. */
export function hashOf(value: string): Buffer {
  return hash('sha256', value, 'buffer')
}
