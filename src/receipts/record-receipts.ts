import { strict as assert } from 'node:assert'
import type { Receipt, ReceiptState } from '../carriers/carrier.ts'
import type { CarrierHistory } from '../carriers/history.ts'
import { type CandidateId, canonicalId, isSamePhone } from '../carriers/message-ids.ts'
import { noteReceipt } from '../carriers/receipt-metrics.ts'
import { databaseNowMs } from '../database/clock.ts'
import { type Database, isDatabaseUnavailable, type Pool } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import { retryBusy } from '../database/retry-busy.ts'
import type { Moved, MoveOf, RecipientKey } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { RECIPIENT_STATES, type RecipientState, toRecipientId } from '../recipients/recipient.ts'
import { lockRecipients } from '../recipients/recipient-locks.store.ts'
import { insertSteps, type Step } from '../recipients/timeline.store.ts'
import { insertParked } from '../submissions/parked-receipts.store.ts'
import {
  listSegmentStates,
  type RecentSubmission,
  type SegmentState,
  updateSegmentStates
} from '../submissions/submissions.store.ts'
import { type Candidate, findCandidates } from './find-candidates.ts'
import type { IdForms } from './id-forms.ts'
import { RETRY_SECONDS } from './retries.ts'

/*
 * The first final receipt moves a recipient from sent to its final state. Later receipts only go into its timeline. A receipt
 * without a match is parked and tried again (match-parked-receipts.ts). Both are committed before the carrier gets its answer.
 */

const GROUP_LIMITS = { sizeMax: 500, runningMax: 2, spacingMs: 24 }
const TRIES_MAX = 3

const FINAL_STATES: Record<Exclude<ReceiptState, 'unknown'>, RecipientState> = {
  delivered: RECIPIENT_STATES.delivered,
  failed: RECIPIENT_STATES.failed,
  expired: RECIPIENT_STATES.expired,
  rejected: RECIPIENT_STATES.rejected
}
const FINAL_NAMES = new Map<number, ReceiptState>(
  Object.entries(FINAL_STATES).map(([name, state]) => [state, name as ReceiptState])
)

export interface Recording {
  pool: Pool
  idForms: IdForms
  /** Settles when the recipient with this new id is committed. Undefined when the id is not pending. */
  untilSettled(carrier: string, canonicalId: string): Promise<unknown> | undefined
  /** The recipient of an id that this process submitted a moment ago. */
  takeRecent?(carrier: string, canonicalId: string): RecentSubmission | undefined
  /** Counts final receipts. */
  history?: CarrierHistory | undefined
}

/** A receipt with the likeliest form of its id. */
interface Arrived {
  receipt: Receipt
  likeliest: CandidateId | undefined
}

/** Receipts that arrive together share a transaction. */
export function createRecordReceipt(recording: Recording): (receipt: Receipt) => Promise<void> {
  const { idForms, untilSettled } = recording
  const record = groupCalls(
    (arrived: Arrived[]) => recordArrived(recording, arrived),
    GROUP_LIMITS,
    ({ receipt }) => receipt.carrier
  )
  const nextTurn = createNextTurn()
  return async (receipt) => {
    // A receipt may come in the same TCP chunk as the answer to its submit. The answer's id is pending a moment later.
    await nextTurn()
    const likeliest = idForms.likeliest(receipt.carrier, receipt.carrierMessageId)
    const settled = likeliest && untilSettled(receipt.carrier, likeliest.id)
    if (settled) await settled
    await record({ receipt, likeliest })
  }
}

/** All receipts of a chunk wait for the same turn. */
function createNextTurn(): () => Promise<void> {
  let next: Promise<void> | undefined
  return () => {
    next ??= new Promise((resolve) => {
      setImmediate(() => {
        next = undefined
        resolve()
      })
    })
    return next
  }
}

/**
 * A receipt that can't be applied, such as one about a message whose counts are wrong, is parked. It holds up no other receipt
 * of its group, nor those that its carrier keeps until this one is answered.
 */
async function recordArrived(recording: Recording, arrived: readonly Arrived[]): Promise<undefined[]> {
  try {
    await recordSome(recording, arrived)
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    for (const one of arrived) {
      await recordSome(recording, [one]).catch((error) => {
        if (isDatabaseUnavailable(error)) throw error
        return insertParked(recording.pool, [one.receipt], { nextTrySeconds: RETRY_SECONDS[0] })
      })
    }
  }
  return []
}

async function recordSome(recording: Recording, arrived: readonly Arrived[]): Promise<void> {
  const others = await recordRecent(recording, arrived)
  if (others.length > 0) await recordReceipts(recording, others)
}

/**
 * Records receipts of recipients that this process submitted a moment ago, without a look-up. Returns all other receipts,
 * also those whose recipient is no longer in the state sent.
 */
async function recordRecent(
  { pool, idForms, takeRecent, history }: Recording,
  arrived: readonly Arrived[]
): Promise<readonly Receipt[]> {
  const receipts = arrived.map(({ receipt }) => receipt)
  if (!takeRecent) return receipts
  const recent = new Map<number, { receipt: Receipt; submission: RecentSubmission; form: CandidateId['form'] }>()
  for (const { receipt, likeliest } of arrived) {
    if (!likeliest || receipt.state === 'unknown') continue
    const submission = takeRecent(receipt.carrier, likeliest.id)
    if (!submission || !namesPhone({ receipt, found: submission })) continue
    const name = toRecipientId(submission)
    if (!recent.has(name)) recent.set(name, { receipt, submission, form: likeliest.form })
  }
  if (recent.size === 0) return receipts
  const moves = [...recent.values()].map(({ receipt, submission }) => toRecentMove(receipt, submission))
  const moved = await retryBusy(TRIES_MAX, () =>
    pool.begin(async (database) => {
      for (const { receipt, form } of recent.values()) {
        if (idForms.isNew(receipt.carrier, form)) await learn(idForms, database, receipt, form)
      }
      return moveRecipients(database, moves)
    })
  )
  const recorded = new Set<Receipt>()
  for (const move of moved) {
    const known = recent.get(toRecipientId(move))
    if (!known) continue
    recorded.add(known.receipt)
    note(known.receipt, known.submission, history)
  }
  return recorded.size === receipts.length ? [] : receipts.filter((receipt) => !recorded.has(receipt))
}

/** As `toMove` and `toStep` do it for an open recipient. */
function toRecentMove(receipt: Receipt, submission: RecentSubmission): Reported {
  const move = toMove(submission, receipt, { to: finalStateOf(receipt), submittedAtMs: submission.submittedAtMs })
  if (move.to === RECIPIENT_STATES.delivered) return move
  return { ...move, step: { step: 'receipt', detail: describe(receipt), carrier: receipt.carrier } }
}

async function recordReceipts({ pool, idForms, history }: Recording, receipts: readonly Receipt[]): Promise<void> {
  // Two processes may get receipts of the same recipients at once, in different orders, and deadlock.
  await retryBusy(TRIES_MAX, () =>
    pool.begin(async (database) => {
      const { unmatched } = await applyReceipts(database, receipts, idForms, history)
      await insertParked(database, unmatched, { nextTrySeconds: RETRY_SECONDS[0] })
    })
  )
}

/** Matches receipts and moves their recipients. Returns the matched and the unmatched receipts. */
export async function applyReceipts<R extends Receipt>(
  database: Database,
  receipts: readonly R[],
  idForms: IdForms,
  history?: CarrierHistory
): Promise<{ unmatched: R[]; matched: R[] }> {
  const isEnough = (receipt: Receipt, found: readonly Candidate[]) => choose(receipt, found) !== undefined
  const candidates = await findCandidates(database, receipts, { idForms, isEnough })
  const matches: Match[] = []
  const unmatched: R[] = []
  for (const receipt of receipts) {
    const ofReceipt = candidates.get(receipt) ?? []
    const found = choose(receipt, ofReceipt)
    if (found) matches.push({ receipt, found, isForSeveral: isShared(found, ofReceipt) })
    else unmatched.push(receipt)
  }
  for (const { receipt, found } of matches.filter(namesPhone)) {
    if (idForms.isNew(receipt.carrier, found.form)) await learn(idForms, database, receipt, found.form)
  }
  await moveByReceipts(database, matches, history)
  return { unmatched, matched: matches.map(({ receipt }) => receipt as R) }
}

function learn(idForms: IdForms, database: Database, receipt: Receipt, form: CandidateId['form']): Promise<void> {
  return idForms.learn(database, receipt.carrier, receipt.carrierMessageId, form)
}

interface Match {
  receipt: Receipt
  found: Candidate
  /** Whether the carrier gave several segments of this recipient the same id. */
  isForSeveral: boolean
}

function isShared(found: Candidate, candidates: readonly Candidate[]): boolean {
  if (found.parts === 1) return false
  const isSame = (other: Candidate) =>
    toRecipientId(other) === toRecipientId(found) && other.carrierMessageId === found.carrierMessageId
  return candidates.filter(isSame).length > 1
}

/** A full phone number. */
const FULL_NUMBER = /^\+?\d{7,15}$/

/**
 * Chooses the candidate with the phone that the receipt names, otherwise the newest. The id alone is not enough when the
 * receipt names another phone: carriers reuse their ids.
 */
function choose({ source, destination }: Receipt, candidates: readonly Candidate[]): Candidate | undefined {
  const [first, ...others] = candidates.toSorted((a, b) => b.submittedAt.getTime() - a.submittedAt.getTime())
  if (!first) return undefined
  const named = [first, ...others].find((found) => namesPhone({ receipt: { source, destination }, found }))
  if (named) return named
  const namesAnother = FULL_NUMBER.test(source)
  return namesAnother && first.phone !== '' ? undefined : first
}

/** Only a receipt with the same phone proves the form of ids: a small number reads as an id in several forms. */
function namesPhone({
  receipt,
  found: { phone }
}: {
  receipt: Pick<Receipt, 'source' | 'destination'>
  found: Pick<Candidate, 'phone'>
}): boolean {
  return phone !== '' && (isSamePhone(receipt.source, phone) || isSamePhone(receipt.destination, phone))
}

async function moveByReceipts(
  database: Database,
  matches: readonly Match[],
  history: CarrierHistory | undefined
): Promise<void> {
  const final = matches.filter(({ receipt }) => receipt.state !== 'unknown')
  const single = final.filter(({ found }) => found.parts === 1)
  const moves = single.map(({ receipt, found }) => toFoundMove(found, receipt, finalStateOf(receipt)))
  const joined = await joinSegments(
    database,
    final.filter(({ found }) => found.parts > 1)
  )
  const reports = new Map(final.map((match) => [toRecipientId(match.found), match]))
  await moveRecipients(database, firstOfEach([...moves, ...joined]), {
    async beforeTotals(moved) {
      database.afterCommit(() => noteReceipts(moved, reports, history))
      const arrived = new Set(moved.filter(({ to }) => to === RECIPIENT_STATES.delivered).map(toRecipientId))
      await insertSteps(
        database,
        matches.flatMap((match) => toStep(match, arrived))
      )
    }
  })
}

function noteReceipts(
  moved: readonly Moved[],
  reports: ReadonlyMap<number, Match>,
  history: CarrierHistory | undefined
): void {
  for (const move of moved) {
    const report = reports.get(toRecipientId(move))
    if (!report) continue
    const { country, submittedAt } = report.found
    // By the state of the recipient: of several segments, another one than the last may have failed.
    const state = FINAL_NAMES.get(move.to) ?? report.receipt.state
    note({ ...report.receipt, state }, { country, submittedAtMs: submittedAt.getTime() }, history)
  }
}

function note(
  receipt: Receipt,
  submission: Pick<RecentSubmission, 'country' | 'submittedAtMs'>,
  history: CarrierHistory | undefined
): void {
  const { carrier, state } = receipt
  const { country } = submission
  const seconds = Math.max(0, databaseNowMs() - submission.submittedAtMs) / 1000
  noteReceipt({ carrier, state, country, seconds })
  history?.onReceipt(carrier, { country, isDelivered: state === 'delivered', errorCode: errorCodeOf(receipt), seconds })
}

/** Carriers write zeros for "no error", even on a failure. */
function errorCodeOf({ word, errorCode }: Pick<Receipt, 'word' | 'errorCode'>): string {
  return /^0*$/.test(errorCode) ? word : errorCode
}

/**
 * Moves for recipients of several segments: delivered when all segments are, failed when one is. A receipt counts for all
 * segments with its id. A carrier that gives them one id may send one receipt for all, or one for each; we can't know.
 */
async function joinSegments(database: Database, matches: readonly Match[]): Promise<Reported[]> {
  if (matches.length === 0) return []
  const keys = matches.map(({ found }) => found)
  await lockRecipients(database, keys)
  const reported = new Map<string, SegmentState>()
  for (const { receipt, found } of matches) {
    const { carrier } = receipt
    const { accountId, messageId, position, carrierMessageId: id } = found
    const name = `${toRecipientId(found)} ${carrier} ${id}`
    if (reported.has(name)) continue
    reported.set(name, { accountId, messageId, position, carrier, id, state: finalStateOf(receipt) })
  }
  await updateSegmentStates(database, [...reported.values()])
  const segments = Map.groupBy(
    await listSegmentStates(database, keys, (_carrier, id) => canonicalId(id)),
    toRecipientId
  )
  return [...Map.groupBy(matches, ({ found }) => toRecipientId(found))].flatMap(([name, ofRecipient]): Reported[] => {
    const last = ofRecipient.at(-1)
    assert(last)
    const states = (segments.get(name) ?? []).map(({ state }) => state)
    const failure = states.find((state) => state !== null && state !== RECIPIENT_STATES.delivered)
    const isWhole = states.length >= last.found.parts && states.every((state) => state === RECIPIENT_STATES.delivered)
    const to = failure ?? (isWhole ? RECIPIENT_STATES.delivered : null)
    if (to === null) return []
    return [toFoundMove(last.found, last.receipt, to)]
  })
}

type Reported = MoveOf<'reported'>

function toFoundMove(found: Candidate, receipt: Receipt, to: RecipientState): Reported {
  return toMove(found, receipt, { to, submittedAtMs: found.submittedAt.getTime() })
}

function toMove(
  { accountId, messageId, position }: RecipientKey,
  { carrier, at, word, errorCode }: Receipt,
  { to, submittedAtMs }: { to: RecipientState; submittedAtMs: number }
): Reported {
  const isFailure = to !== RECIPIENT_STATES.delivered
  return {
    accountId,
    messageId,
    position,
    kind: 'reported',
    to,
    at,
    receipt: describe({ word, errorCode }),
    errorCode: isFailure ? errorCodeOf({ word, errorCode }) : '',
    origin: { carrier, submittedAtMs }
  }
}

/** The timeline step of a receipt. None for a first `delivered`, which the recipient's row shows, nor for a repeat. */
function toStep({ receipt, found, isForSeveral }: Match, arrived: ReadonlySet<number>): (RecipientKey & Step)[] {
  const { carrier } = receipt
  const { accountId, messageId, position } = found
  const key = { accountId, messageId, position, carrier }
  const isForOne = found.parts > 1 && !isForSeveral
  const detail = isForOne ? `${describe(receipt)} (part ${found.part} of ${found.parts})` : describe(receipt)
  if (receipt.state === 'unknown') return [{ ...key, step: 'receipt', detail }]
  const to = finalStateOf(receipt)
  const isOpen = found.state === RECIPIENT_STATES.sent
  if (isOpen && to === RECIPIENT_STATES.delivered && found.parts === 1) {
    return arrived.has(toRecipientId(found)) ? [] : [{ ...key, step: 'receipt', detail }]
  }
  return isOpen || found.state !== to ? [{ ...key, step: isOpen ? 'receipt' : 'late_receipt', detail }] : []
}

function describe({ word, errorCode }: Pick<Receipt, 'word' | 'errorCode'>): string {
  return errorCode === '' ? word : `${word} err:${errorCode}`
}

function finalStateOf({ state }: Receipt): RecipientState {
  assert(state !== 'unknown')
  return FINAL_STATES[state]
}

/** The first report that ends a recipient stays. */
function firstOfEach(moves: readonly Reported[]): Reported[] {
  const first = new Map<number, Reported>()
  for (const move of moves) if (!first.has(toRecipientId(move))) first.set(toRecipientId(move), move)
  return [...first.values()]
}
