import type { Pool } from '../database/database.ts'
import { gather } from '../database/group-calls.ts'
import type { Log } from '../http/log.ts'
import { STATUSES } from '../smpp/commands.ts'
import {
  claimDeliveries,
  type DueDelivery,
  deleteDeliveries,
  listDueAccounts,
  postponeDelivery,
  releaseDeliveries
} from '../smpp-outbox/outbox.store.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import type { ClaimedDeliveries } from './claimed-deliveries.ts'
import type { CustomerSession, GrantedBind } from './customer-session.ts'
import { type DeliveryPdu, toReceiptPdu, toReplyPdu } from './delivery-pdus.ts'
import { listPartDetails, listRecipientDetails, listReplyDetails } from './details.store.ts'
import type { ServerMetrics } from './metrics.ts'
import { deleteLostParts } from './parts.store.ts'

/*
 * Pushes receipts and replies to the binds of this process. A delivery is claimed for a bind, sent, and removed when the
 * client has answered it. What has no answer is due again when the bind ends, or its lease. When the database fails, a bind
 * may have claims that nobody sends: they are released at the next turn.
 */

/** Claimed at once for one bind. */
const CLAIM_MAX = 100
const DELETE_LIMITS = { sizeMax: 500, runningMax: 1, spacingMs: 5 }

interface Answered {
  accountId: number
  id: number
  bindId: string
  /** Of a part that was given up: the part goes with its receipt. */
  lostPartId: number | null
}

export function startPushing({
  pool,
  sessions,
  claimed,
  pollMs,
  metrics,
  log
}: {
  pool: Pool
  sessions: ReadonlySet<CustomerSession>
  claimed: ClaimedDeliveries
  pollMs: number
  metrics: ServerMetrics
  log: Log
}): RunningWorker {
  /** Binds of which a statement failed. */
  const doubtful = new Set<string>()

  const removeAnswered = gather<Answered>(async (answered) => {
    // Without this, an answered delivery is only sent once more.
    await remove(pool, answered).catch((error) => {
      log.warn({ err: error }, 'answered receipts were not removed')
      for (const { bindId } of answered) doubtful.add(bindId)
    })
    for (const { bindId, id } of answered) claimed.remove(bindId, id)
  }, DELETE_LIMITS)

  async function postpone(key: Answered): Promise<void> {
    await postponeDelivery(pool, key).catch((error) => {
      log.warn({ err: error }, 'refused receipt was not postponed')
      doubtful.add(key.bindId)
    })
    claimed.remove(key.bindId, key.id)
  }

  function onAnswer(bind: GrantedBind, delivery: DueDelivery, status: number | undefined): void {
    const key = toKey(bind, delivery)
    const kind = delivery.replyId === null ? 'receipt' : 'reply'
    metrics.delivery(kind, status === undefined ? 'unanswered' : status === STATUSES.ESME_ROK ? 'taken' : 'refused')
    if (status === STATUSES.ESME_ROK) removeAnswered(key)
    else if (status !== undefined) void postpone(key)
    else claimed.remove(key.bindId, key.id)
  }

  async function pushTo(session: CustomerSession, bind: GrantedBind): Promise<boolean> {
    const { accountId } = bind.credential
    const limit = Math.min(session.room, CLAIM_MAX)
    const due = await claimDeliveries(pool, { accountId, bindId: bind.id, limit })
    if (due.length === 0) return false
    const pdus = await toPdus(pool, accountId, due)
    for (const delivery of due) {
      const pdu = pdus.get(delivery.id)
      claimed.add(bind.id, delivery.id)
      // Its message or reply was erased meanwhile: there is nothing left to tell.
      if (pdu) session.deliver(pdu, (status) => onAnswer(bind, delivery, status))
      else removeAnswered(toKey(bind, delivery))
    }
    return due.length === limit
  }

  async function releaseUnsent(): Promise<void> {
    const bindIds = new Set(doubtful)
    doubtful.clear()
    for (const { bind } of sessions) {
      if (!bind || !bindIds.has(bind.id)) continue
      const { id: bindId, credential } = bind
      await markingDoubt(bindId, () =>
        releaseDeliveries(pool, { accountId: credential.accountId, bindId, except: claimed.idsOf(bindId) })
      )
    }
  }

  async function markingDoubt<T>(bindId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      doubtful.add(bindId)
      throw error
    }
  }

  return startWorker({
    name: 'pushing to SMPP binds',
    pauseMs: pollMs,
    log,
    async work() {
      await releaseUnsent()
      const receiving = [...sessions].filter(({ room }) => room > 0)
      const accountIds = new Set(receiving.flatMap(({ bind }) => bind?.credential.accountId ?? []))
      if (accountIds.size === 0) return { isMoreDue: false }
      // One question for all binds: most of them have nothing due most of the time.
      const due = await listDueAccounts(pool, [...accountIds])
      let isMoreDue = false
      for (const session of receiving) {
        const { bind, room } = session
        if (!bind || room === 0 || !due.has(bind.credential.accountId)) continue
        if (await markingDoubt(bind.id, () => pushTo(session, bind))) isMoreDue = true
      }
      return { isMoreDue: isMoreDue && [...sessions].some(({ room }) => room > 0) }
    }
  })
}

function toKey(bind: GrantedBind, { id, smppId, messageId }: DueDelivery): Answered {
  const { accountId } = bind.credential
  return { accountId, id, bindId: bind.id, lostPartId: messageId === null ? smppId : null }
}

async function remove(pool: Pool, answered: readonly Answered[]): Promise<void> {
  const parts = answered.flatMap(({ accountId, lostPartId: smppId }) => (smppId === null ? [] : { accountId, smppId }))
  await deleteDeliveries(pool, answered)
  await deleteLostParts(pool, parts)
}

/** By delivery, its deliver_sm. One whose subject is gone has none. */
async function toPdus(pool: Pool, accountId: number, due: readonly DueDelivery[]): Promise<Map<number, DeliveryPdu>> {
  const keys = due.flatMap(({ messageId, position }) =>
    messageId === null || position === null ? [] : [{ messageId, position }]
  )
  const [recipients, parts, replies] = await Promise.all([
    listRecipientDetails(pool, accountId, keys),
    listPartDetails(
      pool,
      accountId,
      due.flatMap(({ smppId, messageId }) => (smppId !== null && messageId === null ? [smppId] : []))
    ),
    listReplyDetails(
      pool,
      accountId,
      due.flatMap(({ replyId }) => replyId ?? [])
    )
  ])
  const byRecipient = new Map(recipients.map((details) => [`${details.messageId} ${details.position}`, details]))
  const byPart = new Map(parts.map((details) => [details.smppId, details]))
  const byReply = new Map(replies.map((details) => [details.id, details]))
  const pdus = new Map<number, DeliveryPdu>()
  for (const delivery of due) {
    const { id, smppId, messageId, position, state, replyId, reference, createdAt } = delivery
    const reply = replyId === null ? undefined : byReply.get(replyId)
    if (reply) pdus.set(id, toReplyPdu(reply))
    if (smppId === null || state === null) continue
    const recipient = byRecipient.get(`${messageId} ${position}`)
    const part = byPart.get(smppId)
    const common = { smppId, state, reference }
    if (recipient) {
      const { phone, sender, errorCode, content: text, createdAt: submittedAt, deliveredAt } = recipient
      const doneAt = deliveredAt ?? createdAt
      pdus.set(id, toReceiptPdu({ ...common, phone, sender, errorCode, text, submittedAt, doneAt }))
    } else if (part) {
      const { destination: phone, source: sender, createdAt: submittedAt } = part
      const facts = { ...common, phone, sender, errorCode: null, text: '', submittedAt, doneAt: createdAt }
      pdus.set(id, toReceiptPdu(facts))
    }
  }
  return pdus
}
