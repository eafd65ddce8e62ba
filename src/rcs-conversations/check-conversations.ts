import type { Invariant } from '../credits/check-ledger.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'

/** Charges are kept longer than this. */
const CERTAIN_DAYS = 10

export const CONVERSATION_PROMISES: Invariant[] = [
  {
    promise: 'the messages of a conversation took what it was charged, and never more than its price',
    violations: (sql) => sql`
      select conversation.account_id, id, price, conversation.charged, coalesce(charges.charged, 0) as charged_sum
      from rcs_conversations as conversation
      left join (
        select account_id, conversation_id, sum(charged) as charged
        from conversation_charges
        group by account_id, conversation_id
      ) as charges
        on charges.account_id = conversation.account_id
        and charges.conversation_id = conversation.id
      where conversation.charged > price
        or coalesce(charges.charged, 0) > conversation.charged
        or (
          coalesce(charges.charged, 0) < conversation.charged
          and opened_at > now() - make_interval(days => ${CERTAIN_DAYS})
        )
      limit 10
    `
  },
  {
    promise: 'what a conversation covers came back in the ledger, once',
    violations: (sql) => sql`
      select charge.account_id, message_id, charge.position, refunded, refunds.available
      from conversation_charges as charge
      left join (
        -- "message 7", or "message 7 delivered 1" for an RCS that was charged again.
        select spender_id, split_part(reference, ' ', 2)::bigint as refunded_id, part, sum(available) as available
        from credit_entries
        where message_type = ${MESSAGE_TYPES.rcs}
          and reason = 'refund'
          and part like 'conversation, %'
        group by spender_id, refunded_id, part
      ) as refunds
        on spender_id = charge.account_id
        and refunded_id = message_id
        and part = 'conversation, recipient ' || charge.position
      where refunded <> coalesce(refunds.available, 0)
      limit 10
    `
  }
]
