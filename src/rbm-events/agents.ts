import type { CarriersFile } from '../carriers/carriers-file.ts'

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
  const candidates = [carrier, ...rbm.filter(({ webhookToken }) => webhookToken === carrier.webhookToken)]
  return candidates.find((candidate) => plain(candidate.agentId) === plain(agentId))?.agentId
}

/** The platform writes an agent with its domain or without. */
function plain(agentId: string): string {
  return agentId.toLowerCase().replace(/@rbm\.goog$/, '')
}
