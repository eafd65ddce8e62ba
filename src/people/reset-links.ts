import { databaseNowMs } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import type { MailLanguage } from '../mail/mail.ts'
import { queueMail } from '../mail/mails.store.ts'
import { hashLinkToken, newLinkToken } from './link-tokens.ts'
import type { MailedLinks } from './mailed-links.ts'
import { insertReset } from './password-resets.store.ts'
import { findPerson } from './people.store.ts'

const VALID_MS = 60 * 60_000

export interface ResetLink {
  /** Null if it is mailed. */
  link: string | null
  expiresAt: Date
}

/** Makes a link by which a person chooses a new password, and mails it; without a mail server, the caller shows it. */
export async function makeResetLink(
  sql: Sql,
  links: MailedLinks,
  { personId, language }: { personId: number; language?: MailLanguage | undefined }
): Promise<ResetLink> {
  const person = await findPerson(sql, personId)
  const expiresAt = new Date(databaseNowMs() + VALID_MS)
  // Never by the host of the request: whoever asks for another's link would choose where the token goes.
  const familyId = await links.findFamily(sql, personId)
  const page = `${links.consoleUrl(familyId)}/reset-password`
  if (!person || !links.isOn) {
    const token = newLinkToken()
    await insertReset(sql, { personId, tokenHash: hashLinkToken(token), expiresAt })
    return { link: `${page}#${token}`, expiresAt }
  }
  const { id } = await insertReset(sql, { personId, expiresAt })
  await queueMail(sql, {
    to: person.email,
    kind: 'password-reset',
    language: person.language ?? language ?? 'en',
    facts: { link: page },
    accountId: familyId ?? null,
    opens: id,
    expiresAt
  })
  return { link: null, expiresAt }
}
