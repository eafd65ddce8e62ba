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
  const find = (name: string) => rbm.find((carrier) => carrier.name === name)
  return {
    recipientOf(name, { agentId, messageId }) {
      const carrier = find(name)
      if (!carrier) return 'unknown'
      if (findAgent(agentId, { carrier, rbm }) === undefined) return 'foreign'
      return fromRbmMessageId(messageId, messageIdKeysOf(carriersHeardBy(carrier, rbm), storedKeys)) ?? 'unknown'
    },
    agentOf(name, { agentId }) {
      const carrier = find(name)
      // A message to an agent that the carriers file does not have is still stored for people to read.
      return (carrier && findAgent(agentId, { carrier, rbm })) ?? agentId
    }
  }
}

/** The agent as the carriers file writes it, if its events may come in under this carrier's name. */
function findAgent(agentId: string, { carrier, rbm }: { carrier: Rbm; rbm: readonly Rbm[] }): string | undefined {
  if (agentId === '') return carrier.agentId
  return carriersHeardBy(carrier, rbm).find((candidate) => plain(candidate.agentId) === plain(agentId))?.agentId
}

/** The carriers whose events may come in under the name of this one, itself first. */
function carriersHeardBy(carrier: Rbm, rbm: readonly Rbm[]): Rbm[] {
  return [carrier, ...rbm.filter((other) => other !== carrier && other.webhookToken === carrier.webhookToken)]
}

/** The platform writes an agent with its domain or without. */
function plain(agentId: string): string {
  return agentId.toLowerCase().replace(/@rbm\.goog$/, '')
}
