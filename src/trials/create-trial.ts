import Type, { type Static } from 'typebox'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { InputProblem } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { readScheduleAt } from '../messages/schedule.ts'
import type { AudienceFields } from '../sends/accept-later.ts'
import type { LaterSending } from '../sends/depart.ts'
import { SendQuery, SmsDryRunView, toDryRun } from '../sends/send-answer.ts'
import { beginTrial } from './begin-trial.ts'
import { readFigures } from './choose.ts'
import { readVariants, type VariantSend } from './read-variants.ts'
import { priceOf, refuseUnpaid, splitAudience, splitIfEnough } from './split-audience.ts'
import { inputExample, TRIAL_REFUSALS, TrialInput, TrialView, toTrialView, trialExample } from './trial.ts'
import { drawTrialId, insertTrial } from './trials.store.ts'

const SHARE = 20

const { credits_required, credits_remaining, credits_missing, recipients_count, ...dropped } = SmsDryRunView.properties
const { sms_count: _segments, encoding: _encoding, forced_by: _forcing, ...timed } = dropped
// The rest waits for a choice, so nobody knows when all of it has left.
const { starts_at: _start, held_count: _held, held_until: _until, finishes_at: _finish, ...drops } = timed

/** What a trial would cost. */
const TrialDryRun = Type.Object(
  {
    credits_required: Type.Integer({ description: 'Of all of it, if the dearest variant wins.' }),
    credits_remaining,
    credits_missing,
    recipients_count,
    ...drops,
    variants: Type.Array(
      Type.Object({
        label: Type.String(),
        recipients_count: Type.Integer({ description: 'People who are tested with it.' }),
        credits_required: Type.Integer({ description: 'Taken when the trial begins.' }),
        rest_credits: Type.Integer({ description: 'For the rest, if it wins. Taken at the choice.' }),
        encoding: SmsDryRunView.properties.encoding,
        forced_by: SmsDryRunView.properties.forced_by
      })
    ),
    rest: Type.Object({
      recipients_count: Type.Integer({ description: 'People who wait for the choice.' }),
      credits_min: Type.Integer(),
      credits_max: Type.Integer()
    })
  },
  { $id: 'TrialResume' }
)

export const createTrial = (sending: LaterSending) =>
  operation({
    route: 'POST /trials',
    id: 'createTrial',
    tag: 'Beyond',
    permission: 'send',
    anyCallerRepeats: true,
    summary: 'Create a trial (A/B)',
    description:
      'Tries two to four variants of a message on a share of an audience, and sends the best one to the rest. The people are found once, when the trial begins, and drawn at random: nobody gets two messages. Each variant is a message of its own, with prices, hours, consents and caps like any other. The credits of the variants are taken at the beginning, those of the rest at the choice; without enough for both it is refused. With `resumeBefore` nothing is stored: the answer tells the price of all of it.',
    body: TrialInput,
    missing: missingFields,
    query: SendQuery,
    isLongWork: true,
    answer: Type.Union([TrialView, TrialDryRun]),
    example: { body: inputExample, answer: trialExample },
    refusals: {
      ...TRIAL_REFUSALS,
      not_found: 'There is no such contact list, segment, template, or agent that this account may use.',
      state_conflict: 'A rule of a segment names something that is gone, or the Idempotency-Key is in use.'
    },
    handle: ({ caller, body, query, database, record }) =>
      database.begin(async (database) => {
        const now = databaseNow()
        const beginsAt = readScheduleAt(body.scheduleAt, { timeZone: caller.timeZone, now })
        const { variants, sends } = await readVariants(database, body, { caller, sending })
        const { contactlist, segments, share = SHARE } = body
        const audience = { contactlist: contactlist?.map(Number), segments }
        if (query.resumeBefore) return dryRun(database, { variants: sends, audience, share }, sending)
        if (beginsAt) await refuseUnpayable(database, { variants: sends, audience, share }, sending)
        const key = { accountId: caller.accountId, id: await drawTrialId(database) }
        const inserted = await insertTrial(database, key, {
          name: body.name,
          contactlist: audience.contactlist ?? [],
          segmentIds: segments ?? [],
          share,
          decideBy: body.decide_by,
          decideAfterMinutes: body.decide_after_minutes ?? null,
          variants,
          dueAt: beginsAt ?? now
        })
        const trial = beginsAt ? inserted : await beginTrial(database, inserted, { variants: sends, sending })
        await record(database, { object: { kind: 'trial', id: trial.id }, changes: { name: [null, trial.name] } })
        return toTrialView(trial, await readFigures(database, trial))
      })
  })

interface TrialRequest {
  variants: readonly VariantSend[]
  audience: AudienceFields
  share: number
}

async function dryRun(
  database: Database,
  asked: TrialRequest,
  sending: LaterSending
): Promise<Static<typeof TrialDryRun>> {
  const split = await splitAudience(database, asked, sending)
  const { required, restMin, restMax, balance } = await priceOf(database, split, asked.variants)
  const { everybody, tested, rest, sizes } = split
  const { sms_count: _segments, encoding: _encoding, forced_by: _forcing, ...told } = toDryRun(everybody, balance)
  return {
    ...told,
    credits_required: required,
    credits_missing: Math.max(0, required - balance),
    recipients_count: sizes.reduce((sum, size) => sum + size, 0),
    variants: asked.variants.map(({ label }, index) => {
      const totals = tested[index]?.totals
      return {
        label,
        recipients_count: totals?.recipients ?? 0,
        credits_required: totals?.credits ?? 0,
        rest_credits: rest[index]?.totals.credits ?? 0,
        encoding: totals?.encoding ?? 'gsm',
        forced_by: totals?.forcedBy ?? []
      }
    }),
    rest: { recipients_count: sizes[0], credits_min: restMin, credits_max: restMax }
  }
}

/** Checks a trial that begins later as if it began now, except that too few people may fit yet. */
async function refuseUnpayable(database: Database, asked: TrialRequest, sending: LaterSending): Promise<void> {
  const split = await splitIfEnough(database, asked, sending)
  if (!('tooFew' in split)) refuseUnpaid(await priceOf(database, split, asked.variants), asked.variants)
}

/** Checks rules that the schema can't express. */
function missingFields({
  contactlist,
  segments,
  decide_by,
  decide_after_minutes
}: Partial<TrialInput>): InputProblem[] {
  const isByHand = decide_by === 'hand'
  return [
    ...(contactlist === undefined && segments === undefined
      ? [{ path: 'segments', message: 'is missing: give contactlist, segments or both' }]
      : []),
    ...(decide_by !== undefined && !isByHand && decide_after_minutes === undefined
      ? [{ path: 'decide_after_minutes', message: 'is missing: say after how many minutes to choose, such as 120' }]
      : []),
    ...(isByHand && decide_after_minutes !== undefined
      ? [{ path: 'decide_after_minutes', message: 'must not be given where a person decides' }]
      : [])
  ]
}
