import type { Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { whileExtending } from '../workers/while-extending.ts'
import { type MailKind, nameInMail, writeMail } from './kinds.ts'
import type { LeasedMail } from './mail.ts'
import { deleteMail, extendMailLease, leaseDueMails, postponeMail } from './mails.store.ts'
import type { MailOutcome, MailServer } from './smtp.ts'

const PAUSE_MS = 1_000
const AT_ONCE_MAX = 5
const LEASE_SECONDS = 10
/** The wait after each failed attempt; the last one is repeated until the mail expires. */
const DELAYS_SECONDS = [5, 15, 60, 300, 900]

/**
 * Makes the token of a mail's link and keeps its hash; undefined if the link is of no use any more. By kind of mail, since the
 * folders of invitations and people know what their links open.
 */
export type MintTokens = Partial<Record<MailKind, (opens: number) => Promise<string | undefined>>>

/** The name of the service for the people of an account, and whether that account chose it instead of the operator. */
export type NameService = (accountId: number | null) => Promise<{ name: string; isOwn: boolean }>

interface Parts {
  pool: Pool
  server: MailServer
  mintTokens: MintTokens
  nameService: NameService
  log: Log
}

/** The worker that sends mails. Several processes share the work; a mail is leased to one of them. */
export function startSendingMails(parts: Parts): RunningWorker {
  const { pool, log } = parts
  return startWorker({
    name: 'sending mails',
    pauseMs: PAUSE_MS,
    log,
    async work() {
      const mails = await leaseDueMails(pool, { limit: AT_ONCE_MAX, leaseSeconds: LEASE_SECONDS })
      await Promise.all(mails.map((mail) => sendLeased(mail, parts)))
      return { isMoreDue: mails.length === AT_ONCE_MAX }
    }
  })
}

async function sendLeased(mail: LeasedMail, parts: Parts): Promise<void> {
  const { pool, log } = parts
  const about = { mail: mail.id, kind: mail.kind, attempts: mail.attempts }
  const outcome = await whileExtending(
    () => extendMailLease(pool, mail, { leaseSeconds: LEASE_SECONDS }),
    () => attempt(mail, parts)
  )
  if (outcome.kind === 'retry') {
    const delaySeconds = delayAfter(mail.attempts)
    log.warn({ ...about, reason: outcome.reason, delaySeconds }, 'mail could not be sent; it is tried again')
    await postponeMail(pool, mail, { delaySeconds })
    return
  }
  if (outcome.kind === 'ended') log.info(about, 'mail was dropped: its link has ended')
  if (outcome.kind === 'refused') log.error({ ...about, reason: outcome.reason }, 'mail was dropped')
  await deleteMail(pool, mail)
}

async function attempt(
  mail: LeasedMail,
  { server, mintTokens, nameService }: Parts
): Promise<MailOutcome | { kind: 'ended' }> {
  if (mail.isExpired) return { kind: 'refused', reason: 'it could not be sent in time' }
  const facts = await withToken(mail, mintTokens)
  if (!facts) return { kind: 'ended' }
  const { name, isOwn } = await nameService(mail.accountId)
  const words = writeMail(mail.kind, mail.language, facts, nameInMail(name))
  // Of a newer version that shares the database; it will send the mail itself.
  if (!words) return { kind: 'retry', reason: 'unknown kind' }
  return server.send({ id: mail.id, to: mail.recipient, senderName: isOwn ? nameInMail(name) : undefined, ...words })
}

/** The facts, with a token in the link. It exists in this process and in the mail alone. */
async function withToken(
  { kind, facts, opens }: LeasedMail,
  mintTokens: MintTokens
): Promise<Record<string, string> | undefined> {
  const mint = mintTokens[kind]
  if (opens === null || !mint) return facts
  const token = await mint(opens)
  return token === undefined ? undefined : { ...facts, link: `${facts.link}#${token}` }
}

export function delayAfter(attempts: number): number {
  return DELAYS_SECONDS[Math.min(attempts, DELAYS_SECONDS.length) - 1] as number
}
