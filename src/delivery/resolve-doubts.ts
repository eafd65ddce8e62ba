import type { Database, Pool } from '../database/database.ts'
import { headStartOf, type Requeued, toBatches } from '../queue/batch.ts'
import { insertBatches } from '../queue/batches.store.ts'
import { insertExpiries } from '../queue/expiries.store.ts'
import { type DecidedMove, keyOf, type Move } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { fromRecipientId, RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import type { Step } from '../recipients/timeline.store.ts'
import { hurryReceipts } from '../submissions/parked-receipts.store.ts'
import { insertSubmissions, type NewSubmission } from '../submissions/submissions.store.ts'
import { workOnDue } from '../workers/work-on-due.ts'
import {
  claimDueDoubts,
  type DueDoubt,
  deleteDoubt,
  lockMessagesOf,
  type OpenDoubt,
  postponeDoubt
} from './doubts.store.ts'
import { type Evidence, proveDoubts } from './prove-doubts.ts'
import { IN_DOUBT_SECONDS, type SettledOutcome, settleOutcomes } from './settle-outcomes.ts'

/*
 * A recipient is in doubt when the process or the link died during its submit, or the answer never came. It waits for
 * evidence: a late answer, or a receipt that matches no submission. Without evidence, the account's setting decides: `resend`,
 * so that no message is lost, or `fail`, so that none arrives twice.
 */

const BATCH = 200

/** Decides due doubts. */
export async function resolveDoubts(pool: Pool, evidence: Evidence): Promise<{ isMoreDue: boolean }> {
  const count = await workOnDue<OpenDoubt>(pool, {
    claim: (database, only) => claimDueDoubts(database, { limit: BATCH, only }),
    work: (database, open) => resolveSome(database, open, evidence),
    putOff: (database, doubt) => postponeDoubt(database, doubt, { delaySeconds: IN_DOUBT_SECONDS })
  })
  return { isMoreDue: count === BATCH }
}

async function resolveSome(database: Database, open: readonly OpenDoubt[], evidence: Evidence): Promise<void> {
  const proofs = await proveDoubts(database, open, evidence)
  const accepted: NewSubmission[] = []
  const decided: DueDoubt[] = []
  const matched: number[] = []
  for (const doubt of await lockMessagesOf(database, open)) {
    const proof = proofs.get(toRecipientId(doubt))
    if (!proof) {
      decided.push(doubt)
      continue
    }
    accepted.push({ ...doubt, carrierMessageIds: proof.carrierMessageIds })
    matched.push(...proof.receiptIds)
  }
  await settleEvidence(database, accepted)
  await hurryReceipts(database, matched)
  await decide(database, decided)
}

async function settleEvidence(database: Database, accepted: readonly NewSubmission[]): Promise<void> {
  if (accepted.length === 0) return
  await moveRecipients(
    database,
    accepted.map(({ carrier, carrierMessageIds, ...key }): Move => {
      const step: Step = { step: 'taken', detail: 'A receipt shows that the carrier has it.', carrier }
      return { ...keyOf(key), kind: 'sent', channel: 'sms', carrier, carrierMessageIds, step }
    }),
    {
      async beforeTotals() {
        await insertSubmissions(database, accepted)
      }
    }
  )
}

async function decide(database: Database, doubts: readonly DueDoubt[]): Promise<void> {
  if (doubts.length === 0) return
  const moved = await moveRecipients(database, doubts.map(toDecision))
  const waiting = new Set(moved.filter(({ to }) => to === RECIPIENT_STATES.waiting).map(toRecipientId))
  await queueAgain(database, doubts.filter((doubt) => waiting.has(toRecipientId(doubt))).map(withHeadStart))
}

/** The end of a validity may have passed while they were in doubt, and is then no longer known to the queue. */
async function queueAgain(database: Database, recipients: readonly Requeued[]): Promise<void> {
  await insertBatches(database, toBatches(recipients))
  const messages = new Map(recipients.map((recipient) => [recipient.messageId, recipient]))
  await insertExpiries(
    database,
    [...messages.values()].map(({ accountId, messageId, expiresAt }) => ({ accountId, messageId, dueAt: expiresAt }))
  )
}

function withHeadStart(doubt: DueDoubt) {
  return { ...doubt, headStartSeconds: headStartOf(doubt.options, doubt) }
}

function toDecision(doubt: DueDoubt): Move {
  const { detail, step, ...decision } = decisionOn(doubt)
  const { carrier } = doubt
  return {
    ...keyOf(doubt),
    kind: 'decided',
    from: RECIPIENT_STATES.submitting,
    ...decision,
    step: { step, detail, carrier }
  }
}

function decisionOn({
  policy,
  isCancelled
}: DueDoubt): Pick<DecidedMove, 'to' | 'errorCode' | 'refund'> & Pick<Step, 'step' | 'detail'> {
  if (policy === 'fail') {
    const detail = 'The carrier never confirmed it, and the account wants no duplicates.'
    return { to: RECIPIENT_STATES.failed, errorCode: 'in_doubt', refund: 'none', step: 'failed', detail }
  }
  if (isCancelled) {
    const detail = 'The carrier never confirmed it, and the message was cancelled.'
    return { to: RECIPIENT_STATES.cancelled, errorCode: null, refund: 'all', step: 'cancelled', detail }
  }
  const detail = 'The carrier never confirmed it, and the account wants no losses.'
  return { to: RECIPIENT_STATES.waiting, errorCode: null, refund: 'none', step: 'resent', detail }
}

/** A recipient that is sent again is submitted a minute later at least; the clock of a process is less exact than the database's. */
const SAME_SUBMIT_MS = 10_000

/**
 * Settles an answer that came after its submit had timed out. False when the recipient is not in doubt, or no longer, or when
 * it was sent again since, and that submit is the one in doubt: that the carrier did not take the first says nothing of it.
 */
export async function settleLateOutcome(
  database: Database,
  { reference, outcome, submittedAt }: { reference: number; outcome: SettledOutcome; submittedAt: Date }
): Promise<boolean> {
  const submittedBy = outcome.kind === 'accepted' ? null : new Date(submittedAt.getTime() + SAME_SUBMIT_MS)
  const doubt = await deleteDoubt(database, { ...fromRecipientId(reference), submittedBy })
  if (!doubt) return false
  // Its batch went on without it. Only an SMS is ever in doubt: the RCS platform ignores a repeated submit.
  const late = { ...doubt, channel: 'sms', outcome, batch: doubt, lease: null } as const
  await settleOutcomes(database, [late], { finished: [] })
  if (outcome.kind === 'retry') {
    // The carrier did not accept it: it goes back into the queue, unless its message was cancelled meanwhile.
    const moved = await moveRecipients(database, [{ ...keyOf(doubt), ...BACK_TO_WAITING }])
    if (moved.length > 0) await queueAgain(database, [doubt])
  }
  return true
}

const BACK_TO_WAITING = {
  kind: 'decided',
  from: RECIPIENT_STATES.submitting,
  to: RECIPIENT_STATES.waiting,
  errorCode: null,
  refund: 'none'
} as const
