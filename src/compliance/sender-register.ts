import { Refusal } from '../errors.ts'

/*
 * The sender register, as far as the checks of senders ask it: of a message, an RCS fallback, a template, an account. The
 * service passes it in, since those folders lie below the register's own.
 */

export const SENDER_MODES = ['open', 'warn', 'enforce'] as const

/** `open`: any sender of the right form. `warn`: others than approved ones are told. `enforce`: they are refused. */
export type SenderMode = (typeof SENDER_MODES)[number]

/** A sender that an account wants to use. */
export interface SenderUse {
  accountId: number
  parentId: number | null
  name: string
  /** That of the recipients or, where they are not known, of the account. */
  country: string
  /** Undefined where it is not known yet: of a template, or an account. */
  category: 'marketing' | 'transactional' | undefined
}

/** Why an account may not use a sender, or should not. */
export interface SenderDoubt {
  isRefused: boolean
  sentence: string
}

export interface SenderRegister {
  /** Whether every account may use every sender: then nothing needs to be judged. */
  readonly isOpen: boolean
  judge(use: SenderUse): SenderDoubt | undefined
  /** Whether a sender was disabled for an account: messages that wait may not leave under it. */
  isDisabled(accountId: number, name: string): boolean
}

export const OPEN_REGISTER: SenderRegister = { isOpen: true, judge: () => undefined, isDisabled: () => false }

/** Refuses a sender that the account may not use. Returns the warnings of one that it should not use. */
export function judgeSender(register: SenderRegister, use: SenderUse): string[] {
  const doubt = register.isOpen ? undefined : register.judge(use)
  if (!doubt) return []
  if (doubt.isRefused) throw new Refusal(403, 'sender_not_allowed', doubt.sentence)
  return [doubt.sentence]
}
