import { listIdForms, updateIdForm } from '../carriers/carriers.store.ts'
import { type CandidateId, candidateIds, type IdForm, isDecisive } from '../carriers/message-ids.ts'
import type { Database } from '../database/database.ts'

/** The id format of a carrier in the carriers file. */
export type IdFormatOf = (carrier: string) => 'auto' | IdForm

/** The form of message ids in each carrier's receipts: set by the carriers file, or learned from receipts. */
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

  /** The likeliest candidate, which nearly always finds the segment. */
  likeliest(carrier: string, receiptId: string): CandidateId | undefined {
    const format = this.#formatOf(carrier)
    const form = format === 'auto' ? (this.#learned.get(carrier) ?? 'as-is') : format
    return candidateIds(receiptId, form)[0]
  }

  /** The id under which the segment of a receipt is stored. */
  submissionIdOf(carrier: string, receiptId: string): string {
    return this.likeliest(carrier, receiptId)?.id ?? receiptId
  }

  /** Whether a match in this form would teach us something. */
  isNew(carrier: string, form: IdForm): boolean {
    return this.#learned.get(carrier) !== form
  }

  /** Remembers the form that matched a receipt: the next look-ups try it first. */
  async learn(database: Database, carrier: string, receiptId: string, form: IdForm): Promise<void> {
    if (this.#learned.get(carrier) === form || !isDecisive(receiptId, form)) return
    this.#learned.set(carrier, form)
    await updateIdForm(database, { carrier, idForm: form })
  }
}
