import { strict as assert } from 'node:assert'
import type { Database } from '../database/database.ts'
import type { LaterSending } from '../sends/depart.ts'
import type { RecipientSource } from '../sends/recipient-source.ts'
import type { Send } from '../sends/send.ts'
import { withPace } from '../sends/spread.ts'
import { storeUnpaid, takeCredits, type Unpaid } from '../sends/store-many.ts'
import type { VariantSend } from './read-variants.ts'
import { priceOf, refuseUnpaid, splitAudience, valuesOf } from './split-audience.ts'
import type { Trial } from './trial.ts'
import { deleteTestedPeople, insertTrialPeople, REST, readTrialPeople, type TrialPerson } from './trial-people.store.ts'
import { listVariantCounts, type TrialKey, updateToTesting } from './trials.store.ts'

const MINUTE_MS = 60_000

/**
 * Begins a trial: its people are found and drawn, each variant becomes a message, and the rest is kept for the winner. All of it
 * happens in the given transaction, or none. Credits are taken for the variants; those of the rest must be there, and are taken
 * when it is sent.
 */
export async function beginTrial(
  database: Database,
  trial: Trial,
  { variants, sending }: { variants: readonly VariantSend[]; sending: LaterSending }
): Promise<Trial> {
  const { accountId, name, share, decideAfterMinutes } = trial
  const audience = {
    contactlist: trial.contactlist.length > 0 ? trial.contactlist : undefined,
    segments: trial.segmentIds.length > 0 ? trial.segmentIds : undefined
  }
  let restCount = 0
  const onDrawn = async (people: readonly TrialPerson[]) => {
    restCount += people.filter(({ variant }) => variant === REST).length
    await insertTrialPeople(database, trial, people)
  }
  const split = await splitAudience(database, { variants, audience, share, onDrawn }, sending)
  refuseUnpaid(await priceOf(database, split, variants), variants)
  const { variables } = split
  const unpaid: Unpaid[] = []
  for (const [index, { label, send: given, check }] of variants.entries()) {
    const send = { ...given, name: given.name ?? `${name} – ${label}` }
    const source = fromTrialPeople({ ...trial, variables }, index + 1, send)
    const store = async () => {
      const paced = await withPace(database, send, source)
      return storeUnpaid(database, paced, source, sending.routing, { isExact: true })
    }
    unpaid.push(await check(store))
  }
  // After all messages are stored: other sends of the account wait for the balance from here to the commit.
  for (const message of unpaid) await takeCredits(database, message)
  await deleteTestedPeople(database, trial)
  const messageIds = unpaid.map(({ id }) => id)
  const counts = await listVariantCounts(database, { accountId, messageIds })
  // Marketing may have to wait for its hours, and the time counts from then on.
  const leavesAt = Math.max(...counts.map(({ scheduledAt }) => scheduledAt.getTime()))
  assert(Number.isFinite(leavesAt))
  const dueAt = decideAfterMinutes === null ? null : new Date(leavesAt + decideAfterMinutes * MINUTE_MS)
  return updateToTesting(database, trial, { variables, messageIds, restCount, dueAt })
}

/** The people of a variant, with the values of a send's variables. */
export function fromTrialPeople(
  trial: TrialKey & Pick<Trial, 'variables' | 'contactlist'>,
  variant: number,
  send: Send
): RecipientSource {
  const toValues = valuesOf(send.variables, trial.variables)
  return {
    path: trial.contactlist.length > 0 ? 'contactlist' : 'segments',
    async *read(database) {
      for await (const people of readTrialPeople(database, trial, variant)) {
        yield people.map(({ phone, fieldValues }) => ({ number: phone, values: toValues(fieldValues) }))
      }
    }
  }
}
