import Type, { type Static } from 'typebox'
import type { Database } from '../database/database.ts'
import { type InputProblem, invalidInput, Refusal } from '../errors.ts'
import { freezeRcs, freezeSms, repeatableFields } from './accept-later.ts'
import { missingRcsContent, type RcsSendFields, rcsSendFields, readRcsSend, smsOnlyProblems } from './rcs-send.ts'
import { missingContent, readSend, type Send, type SendContext, type SendFields, sendFields } from './send.ts'

/* The message of something that sends by itself, such as an automation: an SMS or an RCS, checked now and kept. */

const MESSAGE_FIELDS = { sms: repeatableFields(sendFields), rcs: repeatableFields(rcsSendFields) }

export const laterMessageFields = {
  sms: Type.Optional(Type.Object(MESSAGE_FIELDS.sms, { description: 'The SMS, as for a send. Either this or `rcs`.' })),
  rcs: Type.Optional(Type.Object(MESSAGE_FIELDS.rcs, { description: 'The RCS, as for a send. Either this or `sms`.' }))
}

const LaterMessage = Type.Object(laterMessageFields)
export type LaterMessage = Static<typeof LaterMessage>

/** Checks rules that the schema can't express. */
export function laterMessageProblems({ sms, rcs }: LaterMessage): InputProblem[] {
  if (sms && rcs) return [{ path: 'rcs', message: 'must not be given together with sms' }]
  if (!sms && !rcs) return [{ path: 'sms', message: 'is missing: give sms or rcs' }]
  return rcs
    ? within('rcs', [...missingRcsContent(rcs), ...smsOnlyProblems(rcs)])
    : within('sms', missingContent(sms ?? {}))
}

export interface ReadMessage {
  send: Send
  /** What is kept of the message: with the content of its template. */
  request: Record<string, unknown>
  /** Runs a check of the send. The paths of its problems are those of the request. */
  check<T>(work: () => Promise<T>): Promise<T>
}

/** Reads the message as a send of now. Problems have their path in the request. */
export async function readLaterMessage(
  database: Database,
  { sms, rcs }: LaterMessage,
  context: SendContext
): Promise<ReadMessage> {
  const channel = rcs ? 'rcs' : 'sms'
  // Without what a request holds besides, which must not be stored.
  const known = Object.entries(rcs ?? sms ?? {}).filter(([name]) => Object.hasOwn(MESSAGE_FIELDS[channel], name))
  const fields = Object.fromEntries(known) as SendFields & RcsSendFields
  const check = <T>(work: () => Promise<T>) => withPaths(work, (problems) => within(channel, problems))
  const read = channel === 'rcs' ? readRcsSend : readSend
  const send: Send = await check<Send>(() => read(database, fields, context))
  const freeze = channel === 'rcs' ? freezeRcs : freezeSms
  return { send, request: await freeze(database, fields, context.caller), check }
}

/** Runs work, and gives the problems of its input other paths. */
export async function withPaths<T>(
  work: () => Promise<T>,
  toPaths: (problems: readonly InputProblem[]) => InputProblem[]
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_input' || !Array.isArray(error.details)) throw error
    throw invalidInput(toPaths(error.details as InputProblem[]))
  }
}

/** Problems of the message by their path in the request. Those of the audience have theirs. */
function within(channel: 'sms' | 'rcs', problems: readonly InputProblem[]): InputProblem[] {
  return problems.map(({ path, message }) => ({ path: isOfAudience(path) ? path : `${channel}.${path}`, message }))
}

export function isOfAudience(path: string): boolean {
  return /^(contactlist|segments)\b/.test(path)
}
