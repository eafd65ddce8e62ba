import { strict as assert } from 'node:assert'
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

export function balanceOf(balances: readonly Balance[], key: BalanceKey): Balance {
  const balance = balances.find((candidate) => isSameBalance(candidate, key))
  assert(balance)
  return balance
}

export function keyOf({ accountId, messageType }: BalanceKey): string {
  return `${accountId} ${messageType}`
}

export function uniqueKeys(keys: readonly BalanceKey[]): BalanceKey[] {
  return [...new Map(keys.map((key) => [keyOf(key), key])).values()]
}
