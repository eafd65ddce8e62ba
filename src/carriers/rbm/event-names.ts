import type { EventNames } from '../kind.ts'
import { fromRbmMessageId, messageIdKeysOf } from './message-ids.ts'

/*
 * The recipient and the agent of an event. With Google one address may be set for all agents of a partner, which then
 * have one token: so events of one carrier's agent may come in under the name of another carrier.
 */

interface Rbm {
  name: string
  agentId: string
  webhookToken: string
}

/** `storedKeys` are the keys of message ids, by carrier. */
export function createEventNames(rbm: readonly Rbm[], storedKeys: ReadonlyMap<string, string>): EventNames {
  const heard = new Map(rbm.map((carrier) => [carrier.name, heardBy(carrier, rbm, storedKeys)]))
  return {
    recipientOf(name, { agentId, messageId }) {
      const known = heard.get(name)
      if (!known) return 'unknown'
      if (findAgent(agentId, known) === undefined) return 'foreign'
      return fromRbmMessageId(messageId, known.keys) ?? 'unknown'
    },
    agentOf(name, { agentId }) {
      const known = heard.get(name)
      // A message to an agent that the carriers file does not have is still stored for people to read.
      return (known && findAgent(agentId, known)) ?? agentId
    }
  }
}

/** What events that come in under the name of one carrier may be about. */
interface Heard {
  /** The carrier's own agent. */
  agentId: string
  /** By its plain name, as the carriers file writes it. */
  agents: ReadonlyMap<string, string>
  /** The keys of message ids. */
  keys: readonly string[]
}

function heardBy(carrier: Rbm, rbm: readonly Rbm[], storedKeys: ReadonlyMap<string, string>): Heard {
  const carriers = [carrier, ...rbm.filter((other) => other !== carrier && other.webhookToken === carrier.webhookToken)]
  // Of two that name an agent differently, the first counts: the carrier itself.
  const agents = new Map(carriers.map(({ agentId }): [string, string] => [plain(agentId), agentId]).reverse())
  return { agentId: carrier.agentId, agents, keys: messageIdKeysOf(carriers, storedKeys) }
}

function findAgent(agentId: string, { agentId: own, agents }: Heard): string | undefined {
  return agentId === '' || agentId === own ? own : agents.get(plain(agentId))
}

/** The platform writes an agent with its domain or without. */
function plain(agentId: string): string {
  return agentId.toLowerCase().replace(/@rbm\.goog$/, '')
}
