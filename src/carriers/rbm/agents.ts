import type { CarriersFile } from '../carriers-file.ts'

/*
 * Whose events come in under the name of a carrier. With Google one address may be set for all agents of a partner, who then
 * have one token: so events of one carrier's agent may come in under the name of another.
 */

type Rbm = CarriersFile['rbm'][number]

/** The agent as the carriers file writes it, if it is one whose events may come in here. */
export function findAgent(
  agentId: string,
  { carrier, rbm }: { carrier: Rbm; rbm: readonly Rbm[] }
): string | undefined {
  if (agentId === '') return carrier.agentId
  return carriersHeardBy(carrier, rbm).find((candidate) => plain(candidate.agentId) === plain(agentId))?.agentId
}

/** The carriers whose events may come in under the name of this one, itself first. */
export function carriersHeardBy(carrier: Rbm, rbm: readonly Rbm[]): Rbm[] {
  return [carrier, ...rbm.filter((other) => other !== carrier && other.webhookToken === carrier.webhookToken)]
}

/** The platform writes an agent with its domain or without. */
function plain(agentId: string): string {
  return agentId.toLowerCase().replace(/@rbm\.goog$/, '')
}
