import type { MessageTypeId } from './credit.ts'

/** An account has one balance for each type of credits. */
export interface BalanceKey {
  accountId: number
  messageType: MessageTypeId
}

export interface Balance extends BalanceKey {
  available: number
}

export function isSameBalance(a: BalanceKey, b: BalanceKey): boolean {
  return a.accountId === b.accountId && a.messageType === b.messageType
}
