import type { Database } from '../database/database.ts'
import type { GivenRecipient } from './plan.ts'

/** Where the recipients of a message come from. */
export interface RecipientSource {
  /** The field that names them, for whoever is told that none is left. */
  path: string
  /** All of them, if they are few. */
  few?: readonly GivenRecipient[]
  /** All of them, in their order, some at a time. Read inside the transaction, and again in each that follows one undone. */
  read(database: Database): AsyncIterable<readonly GivenRecipient[]>
  /** Of many: called when they are stored as this message, by the same transaction and before a balance is locked. */
  onStored?(database: Database, messageId: number): Promise<void>
}
