import type { Static } from 'typebox'
import { findSubAccount } from '../accounts/accounts.store.ts'
import { findActorName } from '../accounts/actors.store.ts'
import { refuseClosed } from '../accounts/managed-account.ts'
import type { Database, Sql } from '../database/database.ts'
import { insufficientCredits, notFound } from '../errors.ts'
import type { Act, ActChanges } from '../http/act.ts'
import type { Caller } from '../http/caller.ts'
import { type CreditsView, MESSAGE_TYPE_NAMES, MESSAGE_TYPES, type MessageTypeId, toCreditsView } from './credit.ts'
import { listOwnCredits } from './credits.store.ts'
import { transferCredits } from './ledger.ts'

/** Moves credits between an account and one of its sub-accounts, and answers the sub-account's credits. */
export async function moveBetween(
  database: Database,
  move: {
    caller: Caller
    subAccountId: number
    direction: 'add' | 'remove'
    credits: number
    msgType?: MessageTypeId
    record(sql: Sql, act: Act): Promise<void>
    note?: string
  }
): Promise<Static<typeof CreditsView>[]> {
  const { caller, subAccountId, direction, note } = move
  const parentId = caller.accountId
  return database.begin(async (database) => {
    const account = await findSubAccount(database, { parentId, id: subAccountId })
    if (!account) throw notFound('sub-account')
    if (direction === 'add') refuseClosed(account)
    const [fromId, toId] = direction === 'add' ? [parentId, account.id] : [account.id, parentId]
    const messageType = move.msgType ?? MESSAGE_TYPES.sms
    const madeBy = await findActorName(database, caller)
    const transfer = { fromId, toId, messageType, amount: move.credits, note, madeBy }
    const movement = await transferCredits(database, transfer)
    if (movement.kind === 'insufficient') throw insufficientCredits(movement, MESSAGE_TYPE_NAMES[messageType])
    const after = (await listOwnCredits(database, account.id)).map(toCreditsView)
    await move.record(database, {
      accountId: account.id,
      object: { kind: 'account', id: account.id },
      changes: creditChanges(after, messageType, direction === 'add' ? move.credits : -move.credits)
    })
    return after
  })
}

/** For the audit trail: the balance before and after it was changed by an amount. */
export function creditChanges(
  after: readonly Static<typeof CreditsView>[],
  messageType: MessageTypeId,
  amount: number
): ActChanges {
  const credits = after.find(({ msgType }) => msgType === messageType)?.credits ?? 0
  return { [`credits_${MESSAGE_TYPE_NAMES[messageType].toLowerCase()}`]: [credits - amount, credits] }
}
