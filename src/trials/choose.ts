import { strict as assert } from 'node:assert'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Caller } from '../http/caller.ts'
import { type LaterSending, readStoredSend } from '../sends/depart.ts'
import { withPace } from '../sends/spread.ts'
import { storeMany } from '../sends/store-many.ts'
import { listStopped } from '../stops/stops.store.ts'
import { fromTrialPeople } from './begin-trial.ts'
import type { Choice, Trial } from './trial.ts'
import { deleteTrialPeople, REST, readTrialPeople } from './trial-people.store.ts'
import { listVariantCounts, updateToChosen, type VariantCounts } from './trials.store.ts'
import { type Figures, NO_FIGURES } from './verdict.ts'

/** The figures of now, by variant. */
export async function readFigures(database: Database, trial: Trial): Promise<Figures[]> {
  return (await readCounts(database, trial)).map((counts) => {
    if (!counts) return NO_FIGURES
    const { messageId: _id, waiting: _waiting, scheduledAt: _at, ...figures } = counts
    return figures
  })
}

/** While more than half of the people of a variant wait to be sent to, figures tell nothing: it is paused, or a carrier is down. */
export async function hasLeft(database: Database, trial: Trial): Promise<boolean> {
  const counts = await readCounts(database, trial)
  return counts.every((variant) => !variant || variant.waiting * 2 <= variant.recipients)
}

/** By variant; undefined for a message that was removed. */
async function readCounts(database: Database, trial: Trial): Promise<(VariantCounts | undefined)[]> {
  const byId = new Map((await listVariantCounts(database, trial)).map((row) => [row.messageId, row]))
  return trial.messageIds.map((id) => byId.get(id))
}

/**
 * Chooses a variant of a locked trial, and sends it to the rest. The rest is removed in the same transaction, so it is sent to
 * once. Whoever opted out since the beginning is not written to, as in every send.
 */
export async function choose(
  database: Database,
  trial: Trial,
  { winner, isByHand, figures }: Pick<Choice, 'winner' | 'isByHand' | 'figures'>,
  { caller, sending }: { caller: Caller; sending: LaterSending }
): Promise<Trial> {
  const variant = trial.variants[winner]
  assert(variant)
  let restMessageId: number | null = null
  if (await isAnybodyToWriteTo(database, trial)) {
    const given = await readStoredSend(database, variant.request, { caller, author: undefined, ...sending })
    const send = { ...given, name: given.name ?? trial.name }
    const source = fromTrialPeople(trial, REST, send)
    const paced = await withPace(database, send, source)
    restMessageId = (await storeMany(database, paced, source, sending.routing, { isExact: true })).message_id
  }
  await deleteTrialPeople(database, trial)
  const choice = { winner, isByHand, figures, chosenAt: databaseNow().toISOString() }
  return updateToChosen(database, trial, { choice, restMessageId })
}

/** Not when all of the rest opted out meanwhile: a message to nobody would be refused for ever, and nothing decided. */
async function isAnybodyToWriteTo(database: Database, trial: Trial): Promise<boolean> {
  for await (const people of readTrialPeople(database, trial, REST)) {
    const phones = people.map(({ phone }) => phone)
    const stopped = await listStopped(database, { accountId: trial.accountId, phones })
    if (phones.some((phone) => !stopped.has(phone))) return true
  }
  return false
}
