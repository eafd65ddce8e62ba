import { strict as assert } from 'node:assert'
import type { Database } from '../../src/database/database.ts'
import type { Smsc } from '../peers/smsc.ts'
import type { TestAccount } from '../service/service.ts'
import { eventually } from './eventually.ts'
import { assertLedgerHolds } from './ledger.ts'

/*
 * What holds after every scenario, whatever went wrong in it: each accepted recipient ends in exactly one terminal state; the
 * ledger sums to zero; the carrier saw each segment at most once unless the policy allowed a repeat; nothing is left behind.
 */

interface Expected {
  /** All carriers that took something; they keep what they took. Not looked at when there are none to look at. */
  smscs?: readonly Smsc[]
  /** With `fail`, nothing may come twice; with `resend`, only what the timeline says was sent again. */
  policy?: 'resend' | 'fail'
  /** Recipients that are rightly still on their way: taken, with no receipt. */
  awaited?: number
  /** Of these, those by RCS. */
  awaitedByRcs?: number
  /** Recipients that rightly wait, for an hour that is still to come. */
  waiting?: number
  /** Whose messages are also looked at from outside. */
  accounts?: readonly TestAccount[]
  withinMs?: number
}

export async function assertInvariants(
  { pool }: { pool: Database },
  {
    smscs,
    policy = 'resend',
    awaited = 0,
    awaitedByRcs = 0,
    waiting = 0,
    accounts = [],
    withinMs = 20_000
  }: Expected = {}
): Promise<void> {
  await eventually(
    async () => {
      const [open] = await pool<[Record<string, number>]>`
        with ${allRecipients(pool)}
        select
          count(*) filter (where recipients.state = 2) as awaited,
          count(*) filter (where recipients.state in (0, 9) and messages.state <> 'cancelled') as waiting,
          (select count(*) from doubts) as doubts,
          (select count(*) from batches where cardinality(submitting) > 0 or leased_by is not null) as leases,
          (select count(*) from batches where due_at <= now()) as due,
          (select count(*) from rcs_waits) as reports,
          (select count(*) from untold_cancels) as untold,
          (
            select count(*)
            from batches
            cross join unnest(positions) as given (position)
            join recipients using (account_id, message_id, position)
            where recipients.state = 0
          ) as queued
        from recipients
        join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
      `
      assert.deepEqual(
        { ...open },
        { awaited, waiting, doubts: 0, leases: 0, due: 0, reports: awaitedByRcs, untold: 0, queued: waiting },
        'every recipient is in a terminal state or rightly awaited, and nothing is left behind'
      )
    },
    { withinMs }
  )
  await assertCounts(pool)
  await assertRefunds(pool)
  await assertLedgerHolds(pool)
  if (smscs) await assertSegments(pool, smscs, policy)
  for (const account of accounts) await assertSeen(account)
}

/** All recipients in one place: over the nodes of a Citus cluster, statements like these can't be planned. */
function allRecipients(pool: Database) {
  return pool`recipients as materialized (select * from recipients)`
}

/** The counts of a message are a partition of its recipients, and its state is what they say. */
async function assertCounts(pool: Database): Promise<void> {
  const messages = await pool<Record<string, unknown>[]>`
    select id, state, recipients_count, cancelled_at is not null as is_cancelled,
      array[waiting_count, sent_count, delivered_count, failed_count, stopped_count, cancelled_count] as counts,
      taken_count, credits_required, segments_count
    from messages
    where recipients_count > 0 -- A message to segments has none before it departs.
    order by id
  `
  const real = await pool<Record<string, unknown>[]>`
    with ${allRecipients(pool)}
    select message_id as id, count(*)::integer as recipients_count,
      array[
        count(*) filter (where shown in (0, 9)), count(*) filter (where shown = 2), count(*) filter (where shown = 1),
        count(*) filter (where shown in (3, 4, 5)), count(*) filter (where shown = 7), count(*) filter (where shown = 6)
      ]::integer[] as counts,
      (count(*) filter (where sent_at is not null))::integer as taken_count,
      sum(credits + paid_for_rcs) as credits_required, sum(segments)::integer as segments_count
    from (
      select recipients.*,
        case when recipients.state = 0 and messages.state = 'cancelled' then 6 else recipients.state end as shown,
        ${rcsCredits(pool)} as paid_for_rcs
      from recipients
      join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    ) as recipients
    group by message_id
    order by message_id
  `
  assert.deepEqual(
    messages.map(({ state: _state, isCancelled: _is, ...counts }) => counts),
    real.map((counts) => ({ ...counts })),
    'the counts of a message are those of its recipients'
  )
  for (const { id, state, isCancelled, counts, takenCount } of messages) {
    const [waiting = 0, , , failed = 0] = counts as number[]
    const ended = (takenCount as number) > 0 || failed === 0 ? 'sent' : 'failed'
    // An RCS that had left before it was cancelled stays sent.
    if (isCancelled) assert.ok(state === 'cancelled' || (state === 'sent' && waiting === 0), `message ${id}`)
    else if (waiting > 0) assert.ok(state === 'scheduled' || state === 'sending', `message ${id} is ${state}`)
    else assert.equal(state, ended, `message ${id}`)
  }
}

/** What was paid for the RCS of one who fell back, beside the SMS, and came back. */
function rcsCredits(pool: Database) {
  return pool`
    case
      when recipients.channel is null then 0
      when recipients.rcs_credits is not null then recipients.rcs_credits
      when (select type from rcs_messages where rcs_messages.message_id = recipients.message_id) = 'text' then 1
      else 2
    end
  `
}

/**
 * What came back is what the states say: all of those that never left, or that a carrier rejected after it took them; of
 * those that it refused, the segments that it did not take; nothing of what failed or expired after it was taken, nor of
 * what was in doubt. Of RCS, all that was not delivered.
 */
async function assertRefunds(pool: Database): Promise<void> {
  const wrong = await pool`
    with ${allRecipients(pool)}
    select id, credits_refunded, expected
    from messages
    join (
      select message_id,
        sum(
          paid_for_rcs + case
            when is_untaken or (state = 5 and sent_at is not null) then credits
            when is_rcs and state in (3, 4, 5) then credits
            when state = 5 then credits * (segments - taken_count) / segments
            else 0
          end
        ) as expected
      from (
        select recipients.message_id, recipients.state, sent_at, credits, segments,
          recipients.state in (6, 7) or (recipients.state = 0 and messages.state = 'cancelled')
            or (recipients.state = 4 and sent_at is null) as is_untaken,
          ${rcsCredits(pool)} as paid_for_rcs, messages.channel = 'rcs' and recipients.channel is null as is_rcs,
          coalesce(parts.taken_count, 0) as taken_count
        from recipients
        join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
        left join (
          select message_id, position, count(*)::integer as taken_count
          from submissions
          group by message_id, position
        ) as parts on parts.message_id = recipients.message_id and parts.position = recipients.position
      ) as recipients
      group by message_id
    ) as refunds on refunds.message_id = messages.id
    where credits_refunded <> expected
  `
  assert.deepEqual([...wrong], [], 'the credits that came back are those of what no carrier took')
}

/** Each segment came once, or as often as it was sent; none that counts as taken is missing. */
async function assertSegments(pool: Database, smscs: readonly Smsc[], policy: 'resend' | 'fail'): Promise<void> {
  const phones = await pool<{ phone: string; taken: number; most: number; resent: number }[]>`
    with ${allRecipients(pool)}, timeline_steps as materialized (select * from timeline_steps)
    select ltrim(phone, '+') as phone,
      (coalesce(sum(segments) filter (where sent_at is not null), 0))::integer as taken,
      sum(segments * (1 + resent))::integer as most,
      sum(resent)::integer as resent
    from (
      select phone, segments, sent_at, coalesce(resent, 0) as resent
      from recipients
      left join (
        select message_id, position, count(*)::integer as resent
        from timeline_steps
        where step = 'resent'
        group by message_id, position
      ) as steps on steps.message_id = recipients.message_id and steps.position = recipients.position
    ) as recipients
    group by phone
  `
  const known = new Set(phones.map(({ phone }) => phone))
  const seen = (phone: string) => smscs.reduce((sum, { accepted }) => sum + (accepted.get(phone)?.count ?? 0), 0)
  const wrong = phones
    .map((phone) => ({ ...phone, seen: seen(phone.phone) }))
    .filter(({ seen, taken, most }) => seen < taken || seen > most)
  assert.deepEqual(wrong.slice(0, 5), [], 'the carrier saw each segment once, unless the policy let it be sent again')
  for (const { accepted } of smscs) for (const phone of accepted.keys()) assert.ok(known.has(phone), `who is ${phone}?`)
  if (policy === 'fail') assert.deepEqual(phones.filter(({ resent }) => resent > 0).slice(0, 5), [])
}

/** What customers see adds up too. */
async function assertSeen(account: TestAccount): Promise<void> {
  const { body } = await account.expect(200).get('/messages?limit=100')
  for (const { id, summary, recipients_count: count, state } of body.items) {
    const sum = Object.values(summary as Record<string, number>).reduce((total, part) => total + part, 0)
    assert.equal(sum, count, `the summary of message ${id} is a partition`)
    if (state === 'sent' || state === 'failed') assert.equal(summary.waiting, 0)
  }
}
