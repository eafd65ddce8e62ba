import type { ClientAuth, Configuration } from 'openid-client'
import { type GroupRole, groupsIn } from './groups.ts'

/** The OpenID provider of the settings. */
export interface ProviderSettings {
  issuer: string
  clientId: string
  clientSecret: string
  /** The claim that has the groups of a person. */
  groupsClaim: string
  groups: readonly GroupRole[]
  /** No session outlives this: groups are read again at the next log-in. */
  sessionHours: number
  /** For the button of the log-in. */
  name: string
}

/** What is remembered of a browser that was sent to the provider. */
export interface Attempt {
  state: string
  nonce: string
  codeVerifier: string
}

/** Somebody who logged in at the provider. */
export interface SignedOn {
  issuer: string
  subject: string
  email: string
  isEmailVerified: boolean
  firstName: string
  lastName: string
  groups: string[]
}

export interface Provider {
  /** Where to send a browser. */
  authorise(redirectUri: string): Promise<{ url: string; attempt: Attempt }>
  /** Exchanges the code in the address that a browser came back to, and checks the answer. Throws if anything is wrong. */
  receive(url: URL, attempt: Attempt): Promise<SignedOn>
}

const REQUEST_TIMEOUT_SECONDS = 10
/** Providers change their endpoints rarely; their keys are read anew when a token names an unknown one. */
const METADATA_TTL_MS = 3_600_000

export function createProvider(settings: ProviderSettings): Provider {
  // Loaded at the first use: most installations have no provider.
  const library = () => import('openid-client')
  let known: { configuration: Promise<Configuration>; atMs: number } | undefined

  async function discover(): Promise<Configuration> {
    const openid = await library()
    const { discovery, allowInsecureRequests, enableNonRepudiationChecks } = openid
    const issuer = new URL(settings.issuer)
    return discovery(issuer, settings.clientId, undefined, authentication(openid, settings.clientSecret), {
      timeout: REQUEST_TIMEOUT_SECONDS,
      execute: [
        // The signature of a token is checked although it comes straight from the provider.
        enableNonRepudiationChecks,
        // The settings allow http on this machine only.
        ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])
      ]
    })
  }

  function configuration(): Promise<Configuration> {
    if (known && performance.now() - known.atMs < METADATA_TTL_MS) return known.configuration
    const found = discover()
    known = { configuration: found, atMs: performance.now() }
    found.catch(() => {
      if (known?.configuration === found) known = undefined
    })
    return found
  }

  return {
    async authorise(redirectUri) {
      const openid = await library()
      const attempt = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        codeVerifier: openid.randomPKCECodeVerifier()
      }
      const url = openid.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256'
      })
      return { url: url.href, attempt }
    },
    async receive(url, { state, nonce, codeVerifier }) {
      const openid = await library()
      const config = await configuration()
      const tokens = await openid.authorizationCodeGrant(config, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true
      })
      const claims = tokens.claims()
      if (!claims) throw new Error('The provider answered without an ID token.')
      // Many providers put groups and email into the answer of the user info endpoint only.
      const isWhole = claims[settings.groupsClaim] !== undefined && claims.email !== undefined
      const hasMore = !isWhole && config.serverMetadata().userinfo_endpoint !== undefined
      const more = hasMore ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub) : {}
      const all: Record<string, unknown> = { ...more, ...claims }
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: textIn(all.email, EMAIL_MAX),
        isEmailVerified: all.email_verified === true,
        firstName: textIn(all.given_name, NAME_MAX),
        lastName: textIn(all.family_name, NAME_MAX),
        groups: groupsIn(all[settings.groupsClaim])
      }
    }
  }
}

/** The secret in a header, as is the rule, unless the provider takes it in the body alone. */
function authentication(
  { ClientSecretBasic, ClientSecretPost }: typeof import('openid-client'),
  secret: string
): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const apply = methods.includes('client_secret_basic') ? basic : post
    return apply(server, client, body, headers)
  }
}

const EMAIL_MAX = 254
const NAME_MAX = 255

/** Text of a claim; longer than any that we store is none. */
function textIn(claim: unknown, lengthMax: number): string {
  return typeof claim === 'string' && claim.length <= lengthMax && !claim.includes('\0') ? claim.trim() : ''
}
