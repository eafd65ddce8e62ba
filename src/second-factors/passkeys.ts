import { hash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { databaseNowMs } from '../database/clock.ts'
import type { Pool, Sql } from '../database/database.ts'
import {
  deleteChallenge,
  findCredential,
  insertChallenge,
  listCredentials,
  type NewPasskey,
  updateCounter
} from './passkeys.store.ts'
import type { Site } from './site.ts'

/*
 * Passkeys (WebAuthn). A challenge is stored by its hash when it is asked, and deleted by the answer: nothing is answered
 * twice, and nobody answers for another person or session.
 */

/** Loaded at the first use: it takes longer to load than a small service to start. */
const webauthn = () => import('@simplewebauthn/server')

const CHALLENGE_TTL_MS = 5 * 60_000

const Base64Url = Type.String({ minLength: 1, maxLength: 8192 })

const credentialFields = {
  id: Type.String({ minLength: 1, maxLength: 1400 }),
  rawId: Type.String({ minLength: 1, maxLength: 1400 }),
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Type.Enum(['platform', 'cross-platform'])),
  clientExtensionResults: Type.Optional(Type.Unknown({ description: 'Not used.' }))
}

export const PasskeyAssertion = Type.Object(
  {
    ...credentialFields,
    response: Type.Object({
      clientDataJSON: Base64Url,
      authenticatorData: Base64Url,
      signature: Base64Url,
      userHandle: Type.Optional(Base64Url)
    })
  },
  {
    $id: 'PasskeyAssertion',
    description: 'The `AuthenticationResponseJSON` of WebAuthn: what the browser answered to the options.'
  }
)

export const PasskeyAttestation = Type.Object(
  {
    ...credentialFields,
    response: Type.Object({
      clientDataJSON: Base64Url,
      attestationObject: Type.String({ minLength: 1, maxLength: 65_536 }),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 }))
    })
  },
  {
    $id: 'PasskeyAttestation',
    description: 'The `RegistrationResponseJSON` of WebAuthn: what the browser answered to the options.'
  }
)

/** Options of WebAuthn, for the browser alone. */
export const PasskeyOptions = Type.Object(
  { options: Type.Unknown({ description: 'For `navigator.credentials`, in the JSON form of WebAuthn.' }) },
  { $id: 'PasskeyOptions' }
)

/** Asks a session for a new passkey. */
export async function askNewPasskey(
  sql: Sql,
  { personId, sessionId, email, site }: { personId: number; sessionId: string; email: string; site: Site }
): Promise<object> {
  const { generateRegistrationOptions } = await webauthn()
  const known = await listCredentials(sql, personId)
  const options = await generateRegistrationOptions({
    rpName: site.name,
    rpID: site.host,
    userName: email,
    userID: new Uint8Array(hash('sha256', `person ${personId}`, 'buffer')),
    attestationType: 'none',
    timeout: CHALLENGE_TTL_MS,
    excludeCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' }
  })
  await storeChallenge(sql, { challenge: options.challenge, personId, sessionId })
  return options
}

/** Asks a person who logs in for one of their passkeys. */
export async function askPasskey(
  sql: Sql,
  { personId, site }: { personId: number; site: Site }
): Promise<object | undefined> {
  const known = await listCredentials(sql, personId)
  if (known.length === 0) return undefined
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: site.host,
    timeout: CHALLENGE_TTL_MS,
    userVerification: 'preferred',
    allowCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports }))
  })
  await storeChallenge(sql, { challenge: options.challenge, personId, sessionId: null })
  return options
}

/** The passkey that a browser has made, or undefined if its answer is not right. */
export async function verifyNewPasskey(
  pool: Pool,
  {
    personId,
    sessionId,
    site,
    answer
  }: { personId: number; sessionId: string; site: Site; answer: Static<typeof PasskeyAttestation> }
): Promise<Omit<NewPasskey, 'name'> | undefined> {
  const challenge = await takeChallenge(pool, answer, { personId, sessionId })
  if (challenge === undefined) return undefined
  const { verifyRegistrationResponse } = await webauthn()
  // It throws for whatever is wrong with an answer: a caller's mistake, never ours.
  const verified = await verifyRegistrationResponse({
    response: { ...answer, clientExtensionResults: {} } as never,
    ...expectedOf(site, challenge)
  }).catch(() => undefined)
  if (!verified?.verified || !verified.registrationInfo) return undefined
  const { id: credentialId, publicKey, counter } = verified.registrationInfo.credential
  return { personId, credentialId, publicKey, counter, transports: answer.response.transports ?? [] }
}

/** Whether a passkey of the person has answered a challenge of theirs. */
export async function checkPasskey(
  pool: Pool,
  { personId, site, answer }: { personId: number; site: Site; answer: Static<typeof PasskeyAssertion> }
): Promise<boolean> {
  const challenge = await takeChallenge(pool, answer, { personId, sessionId: null })
  const known = await findCredential(pool, { personId, credentialId: answer.id })
  if (challenge === undefined || !known) return false
  const { verifyAuthenticationResponse } = await webauthn()
  const verified = await verifyAuthenticationResponse({
    response: { ...answer, clientExtensionResults: {} } as never,
    credential: {
      id: known.credentialId,
      publicKey: new Uint8Array(known.publicKey),
      counter: known.counter,
      transports: known.transports
    },
    ...expectedOf(site, challenge)
  }).catch(() => undefined)
  if (!verified?.verified) return false
  const { newCounter: counter } = verified.authenticationInfo
  return updateCounter(pool, { personId, credentialId: known.credentialId, before: known.counter, counter })
}

/** A second factor need not verify the user as well: the password has. */
function expectedOf({ origin, host }: Site, challenge: string) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: host,
    requireUserVerification: false
  }
}

async function storeChallenge(
  sql: Sql,
  { challenge, ...owner }: { challenge: string; personId: number; sessionId: string | null }
): Promise<void> {
  const expiresAt = new Date(databaseNowMs() + CHALLENGE_TTL_MS)
  await insertChallenge(sql, { ...owner, challengeHash: hashOf(challenge), expiresAt })
}

/** The challenge that an answer says it answers, if it was asked of this person and session, and not answered before. */
async function takeChallenge(
  sql: Sql,
  { response }: { response: { clientDataJSON: string } },
  owner: { personId: number; sessionId: string | null }
): Promise<string | undefined> {
  const challenge = challengeIn(response.clientDataJSON)
  if (challenge === undefined) return undefined
  const isAsked = await deleteChallenge(sql, { ...owner, challengeHash: hashOf(challenge) })
  return isAsked ? challenge : undefined
}

function challengeIn(clientDataJson: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString())
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined // No JSON: as wrong as any other answer.
  }
}

function hashOf(challenge: string): Buffer {
  return hash('sha256', challenge, 'buffer')
}
