import { Pool } from 'undici'
import { exchange } from '../exchange.ts'
import type { AgentLook } from '../kind.ts'
import { AccessToken, TokenFailure } from './access-token.ts'
import { RBM_TIMINGS } from './rbm-timings.ts'
import type { RbmCarrierSettings } from './read-rbm.ts'

/*
 * Name, logo and launch of an agent, by brands.agents.get of the management API. It is another service than the one that
 * sends, with another scope. Asked seldom: nothing is kept open for it.
 */

const MANAGEMENT_URL = 'https://businesscommunications.googleapis.com'
const SCOPES =
  'https://www.googleapis.com/auth/rcsbusinessmessaging https://www.googleapis.com/auth/businesscommunications'
const ANSWER_BYTES_MAX = 256 * 1024
const NAME_LENGTH_MAX = 100
const LOGO_LENGTH_MAX = 2048
const LAUNCHES_MAX = 200

/** Undefined when the carriers file names no brand to ask for. Never rejects. */
export async function lookAtAgent(settings: RbmCarrierSettings): Promise<AgentLook | undefined> {
  const { brand, agentId, managementUrl = MANAGEMENT_URL, key } = settings
  if (brand === undefined) return undefined
  const { origin, pathname } = new URL(managementUrl)
  const token = new AccessToken(key, RBM_TIMINGS, { scope: SCOPES })
  const pool = new Pool(origin, { connections: 1, connectTimeout: RBM_TIMINGS.connectMs })
  try {
    const bearer = await token.get()
    const agent = encodeURIComponent(agentId.replace(/@rbm\.goog$/, ''))
    const answer = await exchange(pool, {
      method: 'GET',
      path: `${pathname.replace(/\/+$/, '')}/v1/brands/${encodeURIComponent(brand)}/agents/${agent}`,
      headers: { authorization: `Bearer ${bearer}`, accept: 'application/json' },
      timeoutMs: RBM_TIMINGS.checkMs,
      answerBytesMax: ANSWER_BYTES_MAX
    })
    if (answer.kind === 'failed') return { problem: `The platform ${answer.reason}.` }
    return answer.status === 200 ? readLook(answer.text) : { problem: `The platform answered ${answer.status}.` }
  } catch (error) {
    if (error instanceof TokenFailure) return { problem: error.message }
    throw error
  } finally {
    await Promise.all([pool.destroy(), token.close()])
  }
}

/** Whatever the answer holds is read as something, or as a problem. */
export function readLook(text: string): AgentLook {
  let agent: Record<string, unknown>
  try {
    agent = toObject(JSON.parse(text))
  } catch {
    return { problem: 'The platform answered with something that is no JSON.' }
  }
  const { displayName, rcsBusinessMessagingAgent } = agent
  const { logoUri, launchDetails } = toObject(rcsBusinessMessagingAgent)
  const isLogo = typeof logoUri === 'string' && logoUri.startsWith('https://') && logoUri.length <= LOGO_LENGTH_MAX
  return {
    displayName: typeof displayName === 'string' ? displayName.slice(0, NAME_LENGTH_MAX) : null,
    logoUrl: isLogo ? logoUri : null,
    launches: Object.entries(toObject(launchDetails)).slice(0, LAUNCHES_MAX).map(toLaunch)
  }
}

/** `/v1/regions/fr-orange` and `LAUNCH_STATE_LAUNCHED` are `fr-orange` and `launched`. */
function toLaunch([name, detail]: [string, unknown]) {
  const { launchState } = toObject(detail)
  const state = typeof launchState === 'string' ? launchState.replace(/^LAUNCH_STATE_/, '').toLowerCase() : 'unknown'
  return { region: (name.split('/').at(-1) ?? name).slice(0, NAME_LENGTH_MAX), state: state.slice(0, NAME_LENGTH_MAX) }
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
