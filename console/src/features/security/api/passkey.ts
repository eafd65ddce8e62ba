import { call } from '../../../lib/api.ts'

/* Passkeys. The library is loaded when somebody uses one. */

const library = () => import('@simplewebauthn/browser')

type Proof = { current_password?: string; code?: string }

/** Whether this browser has passkeys at this address: not without https, and not for an IP address. */
export const hasPasskeys = () =>
  typeof PublicKeyCredential === 'function' && window.isSecureContext && !IP_ADDRESS.test(location.hostname)

const IP_ADDRESS = /^[\d.]+$|^\[/

export async function makePasskey(name: string, proof: Proof) {
  const { startRegistration } = await library()
  const { options } = await call('beginPasskey', { body: proof })
  const passkey = await startRegistration({ optionsJSON: options as never })
  return call('addPasskey', { body: { name, passkey: passkey as never } })
}

/** The answer of a passkey to a log-in. */
export async function askPasskey(body: { email: string; password: string }) {
  const { startAuthentication } = await library()
  const { options } = await call('beginPasskeyLogin', { body })
  return startAuthentication({ optionsJSON: options as never })
}
