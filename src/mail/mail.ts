import type { MailFacts, MailKind } from './kinds.ts'

export type MailLanguage = 'en' | 'fr'

/** A mail that waits for its way out. The words are chosen when it leaves. */
export type Mail = {
  [Kind in MailKind]: {
    to: string
    kind: Kind
    language: MailLanguage
    facts: MailFacts[Kind]
    /** An account that the mail is about: its look decides the name in the mail. Null for the operator's. */
    accountId: number | null
    /** What the link in the facts opens: the mail leaves with a token behind it. */
    opens?: number
    /** Past this time the mail is of no use, and is dropped. */
    expiresAt: Date
  }
}[MailKind]

/** A mail that this process has leased. */
export interface LeasedMail {
  id: string
  recipient: string
  kind: MailKind
  language: MailLanguage
  facts: Record<string, string>
  accountId: number | null
  opens: number | null
  /** The ordinal of this attempt, from 1. */
  attempts: number
  isExpired: boolean
}
