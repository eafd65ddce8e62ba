import type { Database } from '../database/database.ts'
import type { GivenRecipient } from './plan.ts'

/** The origin of the recipients of a message. */
export interface RecipientSource {
  /** The field of the request that names the recipients, for the error when none is left. */
  path: string
  /** All recipients, if they are few. */
  few?: readonly GivenRecipient[]
  /**
   * All recipients, in their order, in chunks. Read inside the transaction, and once more in each repeated transaction.
   */
  read(database: Database): AsyncIterable<readonly GivenRecipient[]>
  /**
   * For many recipients: called after they are stored as this message, in the same transaction and before a balance is
   * locked.
   */
  onStored?(database: Database, messageId: number): Promise<void>
}
