import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { mobiles } from './sending.ts'

/** The recipients of each send. */
export const PER_SEND = 4

/** Sends all the time, through the nodes in turn; what one does not take, another is given under the same key. The nodes may change. */
export function startStream(nodes: readonly { url: string }[], { apiKey }: { apiKey: string }) {
  const ids: number[] = []
  let isOver = false
  let repeats = 0
  async function offer(index: number): Promise<number> {
    const recipients = mobiles(PER_SEND, `+3376${String(index).padStart(4, '0')}`)
    for (let tries = 0; tries < 50; tries++) {
      const node = nodes[(index + tries) % nodes.length]
      const response = await fetch(`${node?.url}/messages/sms`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': `send ${index}` },
        body: JSON.stringify({ recipients, content: `Bonjour ${index}` })
      }).catch(() => undefined) // It has just gone.
      const answer = response && ((await response.json().catch(() => undefined)) as { message_id: number } | undefined)
      if (response?.status === 200 && answer) return answer.message_id
      if (response)
        assert.ok(response.status === 503 || !answer, `answered ${response.status}: ${JSON.stringify(answer)}`)
      repeats++
      await sleep(20)
    }
    throw new Error(`send ${index} was not taken by anybody`)
  }
  const running = (async () => {
    for (let index = 0; !isOver; index++) {
      ids.push(await offer(index))
      await sleep(25)
    }
  })()
  let failure: unknown
  running.catch((error) => {
    failure = error
  })
  return {
    check: () => assert.equal(failure, undefined),
    /** The ids of the messages so far. */
    answered: (): readonly number[] => [...ids],
    repeats: () => repeats,
    async stop() {
      isOver = true
      await running
      return ids
    }
  }
}
