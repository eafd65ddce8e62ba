import { strict as assert } from 'node:assert'
import type { CarrierHistory } from '../carriers/history.ts'
import type { EventNames } from '../carriers/kind.ts'
import type { RcsReport } from '../carriers/posted-event.ts'
import { noteReceipt } from '../carriers/receipt-metrics.ts'
import type { Database } from '../database/database.ts'
import { lockQueuedSms } from '../fallback/queued-sms.store.ts'
import { type Arrival, stopQueuedSms } from '../fallback/stop-queued-sms.ts'
import { keyOf, type Move, type RecipientKey } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { updateDeliveredAt } from '../recipients/rcs-moves.store.ts'
import { fromRecipientId, RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import { insertSteps, type Step } from '../recipients/timeline.store.ts'
import { beginGrace, deleteWaits } from '../recipients/waits.store.ts'
import type { DueEvent } from './rbm-events.store.ts'
import { type Decision, decide, toLate } from './report.ts'
import { listReported, type Reported } from './reports.store.ts'

/** A report that is due. */
export interface DueReport extends DueEvent {
  report: RcsReport
  /** Whether this is its last try, if it matches nothing, and if it is too early. */
  isLastTry: boolean
  isOld: boolean
}

/** The result of a report. */
export type ReportResult =
  /** It moved its recipient, or began its fallback. */
  | 'applied'
  /** It says nothing new, or comes too late. */
  | 'noted'
  /** Its recipient is not sent yet, as far as we know, or another process changed it at this moment. */
  | 'too-early'
  /** It names no recipient of ours, or another phone. */
  | 'unknown'
  /** It is about an agent whose events may not come in under this carrier's name. */
  | 'foreign'

/**
 * Moves recipients to where the platform says they are, in a transaction of the caller's. Recipients, then messages,
 * then waits is the order of locks. `taking` leads to the reports that are the caller's to apply: all, by default.
 */
export async function applyReports(
  database: Database,
  due: readonly DueReport[],
  {
    names,
    taking,
    history
  }: {
    names: EventNames
    taking?: Promise<ReadonlySet<DueReport>>
    /** Counts recipients that the platform delivered to. */
    history?: CarrierHistory | undefined
  }
): Promise<Map<DueReport, ReportResult>> {
  const results = new Map<DueReport, ReportResult>()
  const named: Named[] = []
  for (const one of due) {
    const reference = names.recipientOf(one.carrier, one.report)
    if (typeof reference === 'string') results.set(one, reference)
    else named.push({ due: one, reference, phone: one.report.phone, ...fromRecipientId(reference) })
  }
  const [reported, taken] = await Promise.all([listReported(database, named), taking])
  const isOurs = ({ due }: Named) => taken === undefined || taken.has(due)
  const found = new Map(reported.map((recipient) => [toRecipientId(recipient), recipient]))
  const decided: Decided[] = []
  for (const [id, ofRecipient] of Map.groupBy(named.filter(isOurs), ({ reference }) => reference)) {
    const recipient = found.get(id)
    const reports = ofRecipient.map(({ due }) => due)
    if (recipient) decided.push({ recipient, reports, decision: decide(recipient, reports.map(toReport)) })
    else for (const one of reports) results.set(one, 'unknown')
  }
  for (const [one, result] of await carryOut(database, decided, history)) results.set(one, result)
  if (taken) for (const one of due) if (!taken.has(one)) results.delete(one)
  return results
}

interface Named {
  due: DueReport
  reference: number
  phone: string
  messageId: number
  position: number
}

interface Decided {
  recipient: Reported
  reports: DueReport[]
  decision: Decision
}

async function carryOut(
  database: Database,
  decided: readonly Decided[],
  history: CarrierHistory | undefined
): Promise<[DueReport, ReportResult][]> {
  const arrivals = decided.flatMap(toArrival)
  const queued = await lockQueuedSms(database, arrivals)
  const moved = await moveRecipients(database, decided.flatMap(toMove), {
    following: (moved) => stopQueuedSms(database, arrivals, { queued, others: moved })
  })
  const isMoved = new Set(moved.map(toRecipientId))
  const arrived = decided.filter(({ recipient }) => isMoved.has(toRecipientId(recipient))).filter(isFirstArrival)
  database.afterCommit(() => countArrived(arrived, history))
  await updateDeliveredAt(database, decided.flatMap(toEarlier))
  await database.atEnd((sql) => deleteWaits(sql, moved))
  const graces = decided.filter(({ decision }) => decision.kind === 'grace').map(({ recipient }) => recipient)
  const isChanged = new Set([...moved, ...(await beginGrace(database, graces))].map(toRecipientId))
  const outcomes = decided.map((one) => ({ ...one, ...outcomeOf(one, isChanged.has(toRecipientId(one.recipient))) }))
  await insertSteps(
    database,
    outcomes.flatMap(({ recipient, reports, steps }) => steps.map((step) => toStep(recipient, reports, step)))
  )
  return outcomes.flatMap(({ reports, result }) => reports.map((one): [DueReport, ReportResult] => [one, result]))
}

/** Not a READ after its DELIVERED. An RCS that arrives after its fallback was counted as undelivered. */
function isFirstArrival({ decision }: Decided): boolean {
  return decision.kind === 'move' && decision.from === RECIPIENT_STATES.sent
}

function countArrived(arrived: readonly Decided[], history: CarrierHistory | undefined): void {
  for (const { recipient, reports } of arrived) {
    const [first] = reports
    const { country, sentAt } = recipient
    if (!first || !sentAt) continue
    const receivedMs = Math.min(...reports.map(({ receivedAt }) => receivedAt.getTime()))
    // The report may come before the answer to its message is stored.
    const seconds = Math.max(0, receivedMs - sentAt.getTime()) / 1000
    noteReceipt({ carrier: first.carrier, state: 'delivered', country, seconds })
    history?.onReceipt(first.carrier, { country, isDelivered: true, errorCode: '', seconds })
  }
}

function toMove({ recipient, decision }: Decided): Move[] {
  if (decision.kind !== 'move') return []
  const { from, to, deliveredAt, readAt, word } = decision
  return [{ ...keyOf(recipient), kind: 'rcs-reported', from, to, deliveredAt, readAt, receipt: word }]
}

function toArrival({ recipient, reports, decision }: Decided): Arrival[] {
  if (decision.kind !== 'stop-sms') return []
  const { to, deliveredAt, readAt, word } = decision
  const [first] = reports
  assert(first)
  const { carrier, report } = first
  return [{ ...keyOf(recipient), to, deliveredAt, readAt, receipt: word, carrier, carrierMessageId: report.messageId }]
}

function toEarlier({ recipient, decision }: Decided): (RecipientKey & { deliveredAt: Date })[] {
  return decision.kind === 'earlier' ? [{ ...keyOf(recipient), deliveredAt: decision.deliveredAt }] : []
}

/** `isChanged`: whether the decision could be carried out. */
function outcomeOf(
  { reports, decision }: Decided,
  isChanged: boolean
): { result: ReportResult; steps: Pick<Step, 'step' | 'detail'>[] } {
  switch (decision.kind) {
    case 'too-early':
      return { result: 'too-early', steps: givenUp(reports) }
    case 'move':
      return isChanged ? { result: 'applied', steps: decision.steps } : { result: 'too-early', steps: [] }
    case 'stop-sms':
      // Its SMS is being submitted at this moment, or its RCS can't be paid now.
      return isChanged ? { result: 'applied', steps: [] } : { result: 'too-early', steps: givenUp(reports) }
    case 'grace':
      // A recipient that is not waited for any more was revoked already.
      return isChanged ? { result: 'applied', steps: decision.steps } : { result: 'noted', steps: [] }
    case 'earlier':
    case 'stay':
      return { result: 'noted', steps: decision.steps }
    default:
      return decision satisfies never
  }
}

/** Steps of reports that are not tried again: the timeline shows them at least. */
function givenUp(reports: readonly DueReport[]): Pick<Step, 'step' | 'detail'>[] {
  return reports
    .filter(({ isOld }) => isOld)
    .map(toReport)
    .map(toLate)
}

function toStep(
  recipient: RecipientKey,
  reports: readonly DueReport[],
  step: Pick<Step, 'step' | 'detail'>
): RecipientKey & Step {
  return { ...keyOf(recipient), ...step, carrier: reports[0]?.carrier ?? null }
}

function toReport({ report }: DueReport): RcsReport {
  return report
}
