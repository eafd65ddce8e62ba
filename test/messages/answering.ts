import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { OutboundMessage, SubmitOutcome } from '../../src/carriers/carrier.ts'
import { CARRIER_KINDS } from '../../src/carriers/kinds.ts'
import { type ToySettings, toy } from '../../src/carriers/toy.samples.ts'
import { carriersFile, type RouteEntry } from '../peers/smsc.ts'
import { startService, type TestAccount, type TestService } from '../service/service.ts'

export type Answer = (message: OutboundMessage) => SubmitOutcome | Promise<SubmitOutcome>

export const accepted: Answer = () => ({ kind: 'accepted', carrierMessageIds: [randomUUID()] })
export const refused =
  (reason: string, carrierMessageIds: string[] = []): Answer =>
  () => ({ kind: 'rejected', reason, carrierMessageIds })

/** A carrier whose room and answers the test chooses. Without room it is down. */
export interface AnsweringPeer {
  capacity: number
  answer: Answer
  submitted: OutboundMessage[]
}

export interface AnsweringService extends TestService {
  account: TestAccount
  peer(name: string): AnsweringPeer
  /** Changes the room of a carrier, and tells the service. */
  setRoom(name: string, capacity: number): void
}

/** A service with these carriers on one route, and an account with 100 credits. */
export async function startAnswering(
  t: TestContext,
  peers: Record<string, Partial<AnsweringPeer>>,
  route: Partial<RouteEntry> = {}
): Promise<AnsweringService> {
  const names = Object.keys(peers)
  const byName = new Map(
    names.map((name) => [name, { capacity: 100, answer: accepted, submitted: [], ...peers[name] } as AnsweringPeer])
  )
  const peer = (name: string) => byName.get(name) ?? assert.fail(`no carrier ${name}`)
  const changed: (() => void)[] = []
  const answering = {
    ...toy,
    start: ({ name }: ToySettings, { events }: Parameters<typeof toy.start>[1]) => {
      changed.push(() => events.onChange())
      return {
        name,
        get capacity() {
          return peer(name).capacity
        },
        pacePerSecond: null,
        async submit(message: OutboundMessage) {
          peer(name).submitted.push(message)
          return peer(name).answer(message)
        },
        status: () => ({ isUp: peer(name).capacity > 0, binds: [] }),
        stop: async () => undefined
      }
    }
  }
  const entries = names.map((name) => {
    return { name, type: 'toy', shelf: randomUUID(), sender: 'CHAPPE', stopMention: 'STOP 36111' }
  })
  const file = await carriersFile(t, entries, [{ prefix: '', carriers: names, ...route }])
  const settings = { CHAPPE_CARRIERS: file.path, CHAPPE_ROLES: 'api,delivery' }
  const kinds = [...CARRIER_KINDS.filter(({ name }) => name !== 'toy'), answering]
  const service = await startService(t, { settings, kinds })
  const setRoom = (name: string, capacity: number) => {
    peer(name).capacity = capacity
    for (const tell of changed) tell()
  }
  return { ...service, account: await service.newAccount({ credits: 100 }), peer, setRoom }
}

export const creditsOf = async (account: TestAccount): Promise<number> =>
  (await account.expect(200).get('/users/credits')).body[0].credits
