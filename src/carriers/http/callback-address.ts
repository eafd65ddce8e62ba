import type { NewsKind } from './http-settings.ts'
import { escapeForUrl, fill, parseTemplate } from './places.ts'
import type { HttpCarrierSettings } from './read-http.ts'

/** The secret of a proof, with the carrier's secrets in their places. */
export function proofSecret({ secretTexts }: HttpCarrierSettings, secret: string): string {
  return fill(parseTemplate(secret) ?? [secret], ({ argument = '' }) => secretTexts[argument])
}

/** Where the provider posts receipts or replies; undefined when it posts none. */
export function callbackAddress(settings: HttpCarrierSettings, news: NewsKind): string | undefined {
  const { callbackUrl, name } = settings
  const proof = settings[news]?.proof
  if (callbackUrl === undefined || !proof) return undefined
  const address = `${callbackUrl.replace(/\/+$/, '')}/carriers/http/${name}/${news}`
  return proof.by === 'address' ? `${address}?key=${escapeForUrl(proofSecret(settings, proof.secret))}` : address
}
