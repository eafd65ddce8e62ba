import Type, { type Static } from 'typebox'
import type { Sql } from '../database/database.ts'
import type { Message } from '../messages/message.ts'
import { Nullable } from '../schemas/nullable.ts'
import { RECIPIENT_STATES, toDeliver } from './recipient.ts'
import { RCS_STEPS, STEPS, type StepName } from './step-names.ts'
import { findTimelineFacts, listSteps, type Repeated, type TimelineFacts } from './timeline.store.ts'

/* The timeline of a recipient: the steps that its row and its message imply, and those that were stored. */

export const StepView = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    step: Type.String({
      description: `${STEPS.join(', ')}; of RCS also ${RCS_STEPS.join(', ')}.`
    }),
    detail: Type.String({ description: 'The carrier’s own words where it said something.' }),
    carrier: Nullable(Type.String()),
    times: Type.Optional(
      Type.Integer({
        description:
          'Only for a step that repeated (retries, receipts and reports that say the same): how often. `at` is the first time, and `detail` the last one’s.'
      })
    ),
    last_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'With `times`: when it was the last time.' })
    )
  },
  { $id: 'TimelineStep' }
)

export const timelineExample: Static<typeof StepView>[] = [
  { at: '2026-11-15T09:30:00.000Z', step: 'accepted', detail: '1 segment, 1 credit', carrier: null },
  { at: '2026-11-15T09:30:00.120Z', step: 'sent', detail: 'id 4f2a', carrier: 'main' },
  { at: '2026-11-15T09:30:02.000Z', step: 'delivered', detail: 'DELIVRD err:000', carrier: 'main' }
]

/** All steps of a recipient, oldest first. Undefined when the message has no such recipient. */
export async function readSteps(
  sql: Sql,
  { message, ...key }: { accountId: number; messageId: number; position: number; message: Message }
): Promise<Static<typeof StepView>[] | undefined> {
  const facts = await findTimelineFacts(sql, key)
  if (!facts) return undefined
  const noted = await listSteps(sql, key)
  const steps: TimelineStep[] = [...ordinarySteps(message, facts, noted), ...noted]
  return withoutUnreached(steps.toSorted((a, b) => a.at.getTime() - b.at.getTime())).map(toView)
}

interface TimelineStep extends Partial<Repeated> {
  at: Date
  step: StepName
  detail: string
  carrier: string | null
}

function toView({ at, step, detail, carrier, times = 1, lastAt }: TimelineStep): Static<typeof StepView> {
  const view = { at: at.toISOString(), step, detail, carrier }
  return times > 1 && lastAt ? { ...view, times, last_at: lastAt.toISOString() } : view
}

/** Steps that end a recipient before anything was sent to it. */
const ENDS: ReadonlySet<StepName> = new Set(['cancelled', 'stopped'])

/** Removes the `scheduled` step of a recipient that ended before its scheduled time. */
function withoutUnreached(steps: readonly TimelineStep[]): readonly TimelineStep[] {
  const scheduled = steps.findIndex(({ step }) => step === 'scheduled')
  const isUnreached = steps.slice(0, Math.max(0, scheduled)).some(({ step }) => ENDS.has(step))
  return isUnreached ? steps.toSpliced(scheduled, 1) : steps
}

/** The steps that the rows of message and recipient imply, besides the stored steps. */
function* ordinarySteps(
  message: Message,
  facts: TimelineFacts,
  noted: readonly TimelineStep[]
): Iterable<TimelineStep> {
  const { segments, credits, state, carrier, carrierMessageIds, sentAt, deliveredAt, readAt, receipt, cancelledAt } =
    facts
  const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
  // After a fallback, segments and credits are those of the SMS.
  const isSms = message.channel === 'sms'
  const detail = isSms ? `${plural(segments, 'segment')}, ${plural(credits, 'credit')}` : 'as RCS'
  yield { at: message.createdAt, step: 'accepted', detail, carrier: null }
  if (message.scheduledAt > message.createdAt) {
    yield { at: message.scheduledAt, step: 'scheduled', detail: 'From then on it may leave.', carrier: null }
  }
  if (sentAt) yield { at: sentAt, step: 'sent', detail: `id ${carrierMessageIds?.join(', ') ?? ''}`, carrier }
  if (deliveredAt && (state === RECIPIENT_STATES.delivered || state === RECIPIENT_STATES.read)) {
    yield { at: deliveredAt, step: 'delivered', detail: receipt ?? '', carrier }
  }
  if (readAt && state === RECIPIENT_STATES.read) yield { at: readAt, step: 'read', detail: '', carrier }
  if (facts.clickedAt)
    yield { at: facts.clickedAt, step: 'clicked', detail: 'The link, for the first time.', carrier: null }
  const isCancelled = toDeliver(state, message) === RECIPIENT_STATES.cancelled
  const isNoted = noted.some(({ step }) => step === 'cancelled')
  if (cancelledAt && isCancelled && !isNoted)
    yield { at: cancelledAt, step: 'cancelled', detail: 'By a cancel.', carrier: null }
}
