import type { Database } from '../database/database.ts'
import { toRecipientId } from '../recipients/recipient.ts'
import { listEvidence, lockParked, type ReceiptFound } from '../submissions/parked-receipts.store.ts'
import { listSegments } from '../submissions/submissions.store.ts'
import { listDoubtsOf, type OpenDoubt } from './doubts.store.ts'

/*
 * A receipt that matches no submission proves that the carrier has a message to that phone, but not which one. So receipts
 * prove the doubts about a phone only if there are enough for all of them. With fewer, a message that the carrier never got
 * could take the receipt of another one, and would be lost.
 */

/** Facts about carriers that turn their receipts into evidence. */
export interface Evidence {
  /** The id under which the segment of a receipt is stored. */
  submissionIdOf(carrier: string, receiptId: string): string
  /** The number of ids that the carrier gives for so many segments: 1 if it takes long messages whole. */
  partsOf(carrier: string, segments: number): number
}

/** Why a doubt is over: the ids of its segments, and the receipts that can be matched now. */
export interface Proof {
  carrierMessageIds: readonly string[]
  receiptIds: readonly number[]
}

/** A due doubt with the receipts about its phone since its submit, and the ids in them that no submission has. */
interface Supported {
  doubt: OpenDoubt
  receipts: readonly ReceiptFound[]
  ids: readonly string[]
}

/** The proofs of those due doubts that have one, by the id of their recipient. Locks the receipts. */
export async function proveDoubts(
  database: Database,
  due: readonly OpenDoubt[],
  { submissionIdOf, partsOf }: Evidence
): Promise<Map<number, Proof>> {
  const proofs = new Map<number, Proof>()
  const supported = await listSupported(database, due, submissionIdOf)
  if (supported.length === 0) return proofs
  const carriers = [...new Set(supported.map(({ doubt }) => doubt.carrier))]
  const doubtsOf = Map.groupBy([...due, ...(await listDoubtsOf(database, carriers))], toPhone)
  for (const [phone, some] of Map.groupBy(supported, ({ doubt }) => toPhone(doubt))) {
    // Each receipt proves one doubt only.
    const left = new Set(some.flatMap(({ ids }) => ids))
    const newestMs = Math.max(...some.flatMap(({ receipts }) => receipts.map(({ receivedAt }) => receivedAt.getTime())))
    const needed = (doubtsOf.get(phone) ?? [])
      .filter(({ submittedAt }) => submittedAt.getTime() <= newestMs)
      .reduce((sum, { carrier, segments }) => sum + partsOf(carrier, segments), 0)
    if (left.size < needed) continue
    for (const { doubt, receipts, ids } of some) {
      const parts = partsOf(doubt.carrier, doubt.segments)
      const carrierMessageIds = ids.filter((id) => left.has(id)).slice(0, parts)
      // A message of several segments needs a receipt for each of them.
      if (carrierMessageIds.length < parts) continue
      for (const id of carrierMessageIds) left.delete(id)
      proofs.set(toRecipientId(doubt), { carrierMessageIds, receiptIds: receipts.map(({ id }) => id) })
    }
  }
  return proofs
}

/** Receipts are found by the last digits of a phone, and so doubts are compared by them. */
function toPhone({ carrier, phone }: OpenDoubt): string {
  return `${phone.slice(-8)} ${carrier}`
}

async function listSupported(
  database: Database,
  doubts: readonly OpenDoubt[],
  submissionIdOf: Evidence['submissionIdOf']
): Promise<Supported[]> {
  const found = await lockEvidence(database, doubts)
  const supported: Supported[] = []
  for (const [carrier, some] of Map.groupBy(found, ({ doubt }) => doubt.carrier)) {
    const idOf = ({ carrierMessageId }: ReceiptFound) => submissionIdOf(carrier, carrierMessageId)
    const ids = [...new Set(some.flatMap(({ receipts }) => receipts.map(idOf)))]
    // These have proven another doubt, or their answer has come: they only wait to be matched.
    const sinceMs = Math.min(...some.map(({ doubt }) => doubt.submittedAt.getTime()))
    const known = new Set(
      (await listSegments(database, { carrier, ids }))
        .filter(({ submittedAt }) => submittedAt.getTime() >= sinceMs)
        .map(({ carrierMessageId }) => carrierMessageId)
    )
    for (const { doubt, receipts } of some) {
      const unknown = [...new Set(receipts.map(idOf))].filter((id) => !known.has(id))
      if (unknown.length > 0) supported.push({ doubt, receipts, ids: unknown })
    }
  }
  return supported
}

/**
 * The receipts about the phones of these doubts. The worker that matches receipts locks them before messages: in another
 * order, the two would wait for each other.
 */
async function lockEvidence(
  database: Database,
  doubts: readonly OpenDoubt[]
): Promise<{ doubt: OpenDoubt; receipts: readonly ReceiptFound[] }[]> {
  const found: { doubt: OpenDoubt; receipts: ReceiptFound[] }[] = []
  for (const doubt of doubts) found.push({ doubt, receipts: await listEvidence(database, doubt) })
  const locked = await lockParked(
    database,
    found.flatMap(({ receipts }) => receipts.map(({ id }) => id))
  )
  // The others have found their submission meanwhile, and are gone.
  return found.map(({ doubt, receipts }) => ({ doubt, receipts: receipts.filter(({ id }) => locked.has(id)) }))
}
