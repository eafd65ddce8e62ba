import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { RawBody } from '../../http/callback.ts'
import { isEqualSecret } from '../../http/equal-secrets.ts'
import { callbackAddress, proofSecret } from './callback-address.ts'
import type { NewsKind, Proof } from './http-settings.ts'
import type { HttpCarrierSettings } from './read-http.ts'

/* How a post proves that the provider sent it. All comparisons take as long for a wrong secret as for the right one. */

interface Arrived {
  headers: IncomingHttpHeaders
  query: Readonly<Record<string, string>>
}

/** Whether path and headers alone can be right: a signature is checked once the body is there. */
export function mayBeProved(settings: HttpCarrierSettings, proof: Proof, { headers, query }: Arrived): boolean {
  const secret = proofSecret(settings, proof.secret)
  switch (proof.by) {
    case 'address':
      return isEqualSecret(query.key ?? '', secret)
    case 'header':
      return isEqualSecret(headerOf(headers, proof), `${proof.prefix}${secret}`)
    case 'basic': {
      const credentials = Buffer.from(`${proof.username ?? ''}:${secret}`).toString('base64')
      return isEqualSecret(headers.authorization ?? '', `Basic ${credentials}`)
    }
    case 'hmac':
      return headerOf(headers, proof) !== ''
    default:
      return proof.by satisfies never
  }
}

/** Whether the signature of a body is right. Of a proof without a signature, nothing is left to check. */
export function isSigned(
  settings: HttpCarrierSettings,
  news: NewsKind,
  { headers, body }: { headers: IncomingHttpHeaders; body: RawBody }
): boolean {
  const proof = settings[news]?.proof
  if (!proof) return false
  if (proof.by !== 'hmac') return true
  const { algorithm, encoding, prefix } = proof
  const signed = proof.of === 'body' ? body.text : `${callbackAddress(settings, news) ?? ''}${sortedPairs(body)}`
  const signature = createHmac(algorithm, proofSecret(settings, proof.secret)).update(signed).digest(encoding)
  return isEqualSecret(headerOf(headers, proof), `${prefix}${signature}`)
}

function headerOf(headers: IncomingHttpHeaders, { header = '' }: Proof): string {
  return headers[header.toLowerCase()]?.toString() ?? ''
}

/** Names and values of a form, in the order of the names, without anything between them. */
function sortedPairs({ text, form }: RawBody): string {
  if (form !== 'form') return ''
  const pairs = [...new URLSearchParams(text)].sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
  return pairs.flat().join('')
}
