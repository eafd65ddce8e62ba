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

  /** Under which id the segment of a receipt would be found. */
  submissionIdOf(carrier: string, receiptId: string): string {
    return this.candidates(carrier, receiptId)[0]?.id ?? receiptId
  }

  /** A receipt was found under this form: the next ones are looked for there first. */
  async learn(database: Database, carrier: string, receiptId: string, form: IdForm): Promise<void> {
    if (this.#learned.get(carrier) === form || !isDecisive(receiptId, form)) return
    this.#learned.set(carrier, form)
    await updateIdForm(database, { carrier, idForm: form })
  }
}
