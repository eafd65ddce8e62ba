import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, OPERATOR_KEY } from './cluster.ts'

/*
 * Customers as they are: whatever they get no answer to, they ask again, with the same external_id, of any process that is
 * there.
 */

const ASK_TIMEOUT_MS = 30_000
const AGAIN_MS = 200
/** Also when everything is down for a while; a customer who gets no answer for so long is told as a failure. */
const ASK_FOR_MS = 180_000
const CREDITS = 1_000_000
const ANSWERS_SHOWN = 5

export type Policy = 'resend' | 'fail'

/** A send that was answered with 200, or found to be there already when it was repeated. */
export interface Acknowledged {
  externalId: string
  phones: readonly string[]
  tries: number
}

export interface SmsSent {
  external_id: string
  recipients: readonly string[]
  content: string
  shorturl?: { mode: 'unique' | 'common'; url: string }
}

export interface Customer {
  name: string
  policy: Policy
  credits: number
  acknowledged: Acknowledged[]
  /** Answers that no customer should get, whatever dies: anything but 200, 409 to a repeat, 429 and 503. */
  wrongAnswers: string[]
  // biome-ignore lint/suspicious/noExplicitAny: as a customer reads it; the reference is checked by other tests.
  ask(method: string, path: string, body?: unknown): Promise<any>
  send(body: SmsSent): Promise<void>
}

export async function openCustomer(cluster: Cluster, name: string, policy: Policy): Promise<Customer> {
  const operator = createAsk(cluster, OPERATOR_KEY)
  const account = await operator('POST', '/accounts', { email: `${name}@chaos.example`, password: 'a long password' })
  await operator('PUT', `/accounts/${account.id}/credits`, { credits: CREDITS, msgType: 1 })
  await operator('PUT', `/accounts/${account.id}/credits`, { credits: CREDITS, msgType: 2 })
  const wrongAnswers: string[] = []
  const acknowledged: Acknowledged[] = []
  const ask = createAsk(cluster, account.apikey, wrongAnswers)
  await ask('PUT', '/users/me', { settings: { in_doubt: policy } })
  return {
    name,
    policy,
    credits: CREDITS,
    acknowledged,
    wrongAnswers,
    ask,
    async send(body) {
      let tries = 0
      await ask('POST', '/messages/sms', body, () => tries++)
      acknowledged.push({ externalId: body.external_id, phones: body.recipients, tries })
    }
  }
}

const ALREADY_THERE = 'external_id_already_processed'

function createAsk(cluster: Cluster, apiKey: string, wrongAnswers: string[] = []) {
  return async (method: string, path: string, body?: unknown, onTry?: () => void) => {
    const deadline = Date.now() + ASK_FOR_MS
    const answers: string[] = []
    for (let tries = 0; ; tries++) {
      const { url } = cluster.nodes[tries % cluster.nodes.length] ?? {}
      if (url !== undefined) {
        onTry?.()
        const answer = await tryToAsk(url + path, { method, apiKey, body })
        answers.push(answer ? `${answer.status} ${answer.body?.error ?? ''}` : 'no answer')
        if (answer?.status === 200) return answer.body
        if (answer?.status === 409 && answer.body?.code === ALREADY_THERE && tries > 0) return answer.body
        if (answer && ![429, 503].includes(answer.status)) {
          wrongAnswers.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`)
        }
      }
      if (Date.now() > deadline || cluster.ending.aborted) {
        const last = answers.slice(-ANSWERS_SHOWN).join('; ')
        throw new Error(`${method} ${path} was refused or not answered ${answers.length} times. The last: ${last}`)
      }
      await sleep(AGAIN_MS)
    }
  }
}

/** Undefined when there was no answer: it may have been done, or not. */
async function tryToAsk(url: string, { method, apiKey, body }: { method: string; apiKey: string; body: unknown }) {
  try {
    const response = await fetch(url, {
      method,
      headers: { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS)
    })
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    return { status: response.status, body: (await response.json()) as any }
  } catch {
    return undefined // A process that was killed, a connection that was reset, a time-out: asked again.
  }
}
