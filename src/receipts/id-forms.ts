import { listIdForms, updateIdForm } from '../carriers/carriers.store.ts'
import { type CandidateId, candidateIds, type IdForm, isDecisive } from '../carriers/message-ids.ts'
import type { Database } from '../database/database.ts'

/** What the carriers file says of a carrier's ids. */
export type IdFormatOf = (carrier: string) => 'auto' | IdForm

/** How each carrier's receipts write the ids of its answers: as the carriers file says, or as it was learned. */
export class IdForms {
  readonly #formatOf: IdFormatOf
  readonly #learned = new Map<string, IdForm>()

  constructor(formatOf: IdFormatOf) {
    this.#formatOf = formatOf
  }

  async load(database: Database): Promise<void> {
    for (const { carrier, idForm } of await listIdForms(database)) this.#learned.set(carrier, idForm)
  }

  candidates(carrier: string, receiptId: string): CandidateId[] {
    return candidateIds(receiptId, this.#formatOf(carrier), this.#learned.get(carrier))
  }

  /** The likeliest of them: that under which the segment of a receipt is nearly always found. */
  likeliest(carrier: string, receiptId: string): CandidateId | undefined {
    const format = this.#formatOf(carrier)
    const form = format === 'auto' ? (this.#learned.get(carrier) ?? 'as-is') : format
    return candidateIds(receiptId, form)[0]
  }

  /** Under which id the segment of a receipt would be found. */
  submissionIdOf(carrier: string, receiptId: string): string {
    return this.likeliest(carrier, receiptId)?.id ?? receiptId
  }

  /** A receipt was found under this form: the next ones are looked for there first. */
  async learn(database: Database, carrier: string, receiptId: string, form: IdForm): Promise<void> {
    if (this.#learned.get(carrier) === form || !isDecisive(receiptId, form)) return
    this.#learned.set(carrier, form)
    await updateIdForm(database, { carrier, idForm: form })
  }
}
