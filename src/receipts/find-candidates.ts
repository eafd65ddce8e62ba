import type { Receipt } from '../carriers/carrier.ts'
import type { IdForm } from '../carriers/message-ids.ts'
import type { Database } from '../database/database.ts'
import { listAtPositions } from '../recipients/positions.store.ts'
import { toRecipientId } from '../recipients/recipient.ts'
import { listSegments, type Segment } from '../submissions/submissions.store.ts'
import type { IdForms } from './id-forms.ts'

/** A segment that a receipt may be about. */
export interface Candidate extends Segment {
  form: IdForm
  /** The state of its recipient now. */
  state: number
  phone: string
  country: string
}

interface Lookup {
  receipt: Receipt
  carrier: string
  form: IdForm
  id: string
}

/**
 * Finds the segments that each receipt may be about. The first look-up uses the likeliest form of the ids, which finds nearly
 * all. Receipts whose candidates are not enough are looked up under the other forms too.
 */
export async function findCandidates(
  database: Database,
  receipts: readonly Receipt[],
  { idForms, isEnough }: { idForms: IdForms; isEnough(receipt: Receipt, found: readonly Candidate[]): boolean }
): Promise<Map<Receipt, Candidate[]>> {
  const found = await lookUp(
    database,
    receipts.flatMap((receipt) => {
      const likeliest = idForms.likeliest(receipt.carrier, receipt.carrierMessageId)
      return likeliest ? { receipt, carrier: receipt.carrier, ...likeliest } : []
    })
  )
  const others = receipts
    .filter((receipt) => !isEnough(receipt, found.get(receipt) ?? []))
    .flatMap((receipt) => {
      const { carrier, carrierMessageId } = receipt
      const looked = idForms.likeliest(carrier, carrierMessageId)?.id
      const candidates = idForms.candidates(carrier, carrierMessageId).filter(({ id }) => id !== looked)
      return candidates.map((candidate) => ({ receipt, carrier, ...candidate }))
    })
  for (const [receipt, candidates] of await lookUp(database, others)) {
    found.set(receipt, [...(found.get(receipt) ?? []), ...candidates])
  }
  return found
}

async function lookUp(database: Database, lookups: readonly Lookup[]): Promise<Map<Receipt, Candidate[]>> {
  const found = new Map<Receipt, Candidate[]>()
  for (const [carrier, ofCarrier] of Map.groupBy(lookups, ({ carrier }) => carrier)) {
    const segments = await listSegments(database, { carrier, ids: ofCarrier.map(({ id }) => id) })
    const byId = Map.groupBy(segments, ({ carrierMessageId }) => carrierMessageId)
    const recipients = await findRecipients(database, segments)
    for (const { receipt, form, id } of ofCarrier) {
      for (const segment of byId.get(id) ?? []) {
        const recipient = recipients.get(toRecipientId(segment))
        if (!recipient) continue
        const { state, phone, country } = recipient
        const candidate = { ...segment, form, state, phone, country }
        const before = found.get(receipt)
        if (before) before.push(candidate)
        else found.set(receipt, [candidate])
      }
    }
  }
  return found
}

async function findRecipients(database: Database, segments: readonly Segment[]) {
  const groups = [...Map.groupBy(segments, ({ messageId }) => messageId).values()].flatMap((ofMessage) => {
    const [first] = ofMessage
    return first ? { ...first, positions: ofMessage.map(({ position }) => position) } : []
  })
  return new Map((await listAtPositions(database, groups)).map((recipient) => [toRecipientId(recipient), recipient]))
}
