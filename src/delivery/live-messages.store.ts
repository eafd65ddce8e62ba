import type { Sql } from '../database/database.ts'
import type { ConsentMode } from '../http/consent-mode.ts'
import type { Category, Channel } from '../messages/message.ts'
import { type MessageRef, unnestMessageKeys } from '../messages/messages.store.ts'
import type { MessageOptions } from '../messages/options.ts'
import type { TraceContext } from '../traces/trace-context.ts'

/** The data of a message that its submits need. */
export interface LiveMessage extends MessageRef {
  channel: Channel
  content: string
  sender: string
  category: Category
  hoursEnd: string
  sundaysAndHolidays: boolean
  calendar: 'national' | 'alsace-moselle'
  /** Of marketing: what the account, or the account above, asks for. Null for other messages. */
  consent: ConsentMode | null
  /** Null without any. */
  options: MessageOptions | null
  isPaused: boolean
  recipientsCount: number
  /** The context of its acceptance; null without traces. */
  trace: TraceContext | null
}

/** Which of these messages may be sent. */
export async function listLiveMessages(sql: Sql, keys: readonly MessageRef[]): Promise<LiveMessage[]> {
  return sql<LiveMessage[]>`
    select messages.account_id, messages.id as message_id, channel, content, sender, category, hours_end,
      sundays_and_holidays, calendar, options, paused_at is not null as is_paused, recipients_count, trace,
      case when category = 'marketing' then ${consentInForce(sql)} end as consent
    from messages
    join ${unnestMessageKeys(sql, keys)} on given.account_id = messages.account_id and given.message_id = messages.id
    join accounts on accounts.id = messages.account_id
    where state in ('scheduled', 'sending')
  `
}

/** The stricter of the two. */
function consentInForce(sql: Sql) {
  return sql`
    case
      when 'enforce' in (accounts.consent, (
        select parents.consent
        from accounts as parents
        where parents.id = accounts.parent_id
      )) then 'enforce'
      else accounts.consent
    end
  `
}
