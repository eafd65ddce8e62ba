import type { Sql } from '../database/database.ts'
import { insertNotices } from '../notices/notices.store.ts'

/** A message, as far as a notice tells of it. */
export interface Campaign {
  accountId: number
  messageId: number
  name: string | null
  recipientsCount: number
}

/** As in the calendar. */
const RECIPIENTS_MIN = 50

/** Whether people wait to hear of it. A program may name all its codes, so a name alone is not enough. */
export function isCampaign({ name, recipientsCount }: Pick<Campaign, 'name' | 'recipientsCount'>): boolean {
  return recipientsCount > RECIPIENTS_MIN || (name !== null && recipientsCount > 1)
}

/** In the transaction in which it happens. */
export async function noticeCampaigns(
  sql: Sql,
  campaigns: readonly (Campaign & { kind: 'campaign_finished' | 'campaign_failed' | 'campaign_late' })[]
): Promise<void> {
  await insertNotices(
    sql,
    campaigns.map(({ accountId, kind, messageId, name, recipientsCount }) => ({
      accountId,
      kind,
      subject: String(messageId),
      name: name ?? '',
      value: recipientsCount,
      bound: null
    }))
  )
}
