import { Secret, TOTP } from 'otpauth'

/*
 * Codes of an authenticator app (RFC 6238). SHA-1, six digits and 30 seconds are the only parameters that every app takes;
 * several ignore all others and show wrong codes.
 */

const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 }
/** One step to either side: a phone's clock may be off, and a person takes a few seconds to type. */
const WINDOW_STEPS = 1
/** RFC 4226, 4: 160 bits are recommended. */
const SECRET_BYTES = 20

/** A new secret, in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/** The address that an app reads from a QR code. */
export function totpUri(secret: string, { email, issuer }: { email: string; issuer: string }): string {
  return new TOTP({ ...PARAMETERS, issuer, label: email, secret: Secret.fromBase32(secret) }).toString()
}

/** The time step whose code this is, if it is near enough to now. */
export function findStep(code: string, { secret, nowMs }: { secret: string; nowMs: number }): number | undefined {
  const delta = TOTP.validate({
    ...PARAMETERS,
    token: code,
    secret: Secret.fromBase32(secret),
    timestamp: nowMs,
    window: WINDOW_STEPS
  })
  return delta === null ? undefined : TOTP.counter({ period: PARAMETERS.period, timestamp: nowMs }) + delta
}

/** Apps show a code in two groups, and people copy it so. */
export function toTotpCode(text: string): string | undefined {
  const code = text.replaceAll(/[\s-]/g, '')
  return /^\d{6}$/.test(code) ? code : undefined
}
