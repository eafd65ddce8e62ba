import type { Schemas } from './api-types.ts'
import { type CallOptions, type ClientOptions, createClient } from './client.ts'

/** Exchanges an email and a password for a token, for `createClient({ url, token })`. */
export function login(
  { url, fetch, ...credentials }: Pick<ClientOptions, 'url' | 'fetch'> & Schemas['LoginUserDto'],
  options?: CallOptions
): Promise<Schemas['LoginResponseDto']> {
  return createClient({ url, fetch }).call('POST /auth/login', { body: credentials }, options)
}
