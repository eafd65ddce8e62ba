import type { Database } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { isLive, isPaused, type Message } from '../messages/message.ts'
import { recordMessageStates } from '../messages/message-events.ts'
import { type MessageKey, updatePaused } from '../messages/messages.store.ts'
import { insertScheduled } from '../messages/scheduled-messages.store.ts'
import { pauseBatches, resumeBatches } from '../queue/batches.store.ts'
import { watchExpiries } from '../queue/expiries.store.ts'
import { updateDeparturePaused } from './departures.store.ts'
import { type Forecast, forecast } from './forecast.ts'
import { lockForChange } from './lock-for-change.ts'

/** The recipients that are on their way at this moment still leave, and no others. Hours and expiry go on counting. */
export async function pause(database: Database, key: MessageKey): Promise<{ message: Message; forecast: Forecast }> {
  const before = await lockForChange(database, key)
  if (isPaused(before)) throw conflict('The message is paused already.')
  const found = await forecast(database, key)
  // A message to segments has no recipients before it departs: its departure is held.
  const isHeld = await updateDeparturePaused(database, { ...key, isPaused: true })
  if (!isLive(before) || (found.waiting === 0 && !isHeld)) {
    throw conflict(`Nothing is left to pause: the message is ${before.state}.`)
  }
  return { message: await holdBack(database, key), forecast: found }
}

/** Pauses a message without asking whether something is left of it: recipients that are on their way may come back. */
export async function hold(database: Database, key: MessageKey): Promise<Message> {
  await lockForChange(database, key)
  await updateDeparturePaused(database, { ...key, isPaused: true })
  return holdBack(database, key)
}

async function holdBack(database: Database, key: MessageKey): Promise<Message> {
  const message = await updatePaused(database, { ...key, isPaused: true })
  await pauseBatches(database, key)
  await watchExpiries(database, key)
  await recordMessageStates(database, [{ accountId: key.accountId, messageId: key.id }])
  return message
}

/** What is due leaves within moments. The rest leaves at its time. */
export async function resume(database: Database, key: MessageKey): Promise<Message> {
  const before = await lockForChange(database, key)
  if (!isPaused(before)) throw conflict('The message is not paused.')
  const message = await updatePaused(database, { ...key, isPaused: false })
  await resumeBatches(database, key, { isSpread: message.options?.spread !== undefined })
  const hasDeparture = await updateDeparturePaused(database, { ...key, isPaused: false })
  if (message.state === 'scheduled' && !hasDeparture)
    await insertScheduled(database, [{ ...key, scheduledAt: message.scheduledAt }])
  await recordMessageStates(database, [{ accountId: key.accountId, messageId: key.id }])
  return message
}

function conflict(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}
