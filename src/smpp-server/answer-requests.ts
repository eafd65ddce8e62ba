import { recordAct } from '../audit/record-act.ts'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { Message } from '../messages/message.ts'
import { toDeliver } from '../recipients/recipient.ts'
import { CANCEL_TRIES_MAX, cancel } from '../sends/cancel.ts'
import { STATUSES, TLV_TAGS } from '../smpp/commands.ts'
import { type CancelPdu, type KnownPdu, NO_TLVS, type QueryPdu } from '../smpp/pdu.ts'
import { findSubmittedMessage } from '../smpp-outbox/outbox.store.ts'
import { scopesOf } from './credential.ts'
import { type GrantedBind, refusalOf } from './customer-session.ts'
import { receiptStateOf, toErrorNumber } from './delivery-pdus.ts'
import { listRecipientDetails } from './details.store.ts'
import { isPartWaiting } from './parts.store.ts'
import { readNumber, readSubmit, type SubmitPdu } from './read-submit.ts'
import { StatusRefusal, statusOf } from './statuses.ts'
import { type TakenSubmit, type TakeSubmit, toAuthor } from './take-submits.ts'
import { writeTime } from './times.ts'

/* The answers to the requests of a bound client. A refusal is a value here: the status of the answer. */

const VERSION_5 = 0x50
const ENROUTE = 1
const INFO_LENGTH_MAX = 255

/** Takes a submit and returns its answer. */
export async function answerSubmit(
  { takeSubmit, findCaller }: { takeSubmit: TakeSubmit; findCaller(accountId: number): Promise<Caller> },
  { credential }: GrantedBind,
  pdu: SubmitPdu,
  address: string
): Promise<KnownPdu> {
  const submit = readSubmit(pdu, databaseNow())
  const caller = { ...(await findCaller(credential.accountId)), permissions: new Set(scopesOf(credential)) }
  const submitter = { caller, credentialId: credential.id, category: credential.category, address }
  return toAnswer(pdu, await takeSubmit(submitter, submit))
}

function toAnswer(pdu: SubmitPdu, { smppId, dropped }: TakenSubmit): KnownPdu {
  const { sequence } = pdu
  const messageId = String(smppId)
  if (pdu.command !== 'submit_multi') {
    return { command: `${pdu.command}_resp`, status: 0, sequence, messageId, tlvs: NO_TLVS }
  }
  const isDropped = new Set(dropped)
  const unsuccessful = pdu.destinations.flatMap((destination) =>
    'list' in destination || !isDropped.has(readNumber(destination))
      ? []
      : [{ ...destination, status: STATUSES.ESME_RINVDSTADR as number }]
  )
  return { command: 'submit_multi_resp', status: 0, sequence, messageId, unsuccessful }
}

/** The answer that refuses a submit. A client of SMPP 5.0 also gets the sentence. */
export function toRefusal(pdu: SubmitPdu, error: unknown, { interfaceVersion }: GrantedBind): KnownPdu | undefined {
  const status = statusOf(error)
  if (status === undefined) return undefined
  const answer = refusalOf(pdu, status)
  if (interfaceVersion < VERSION_5 || !('tlvs' in answer)) return answer
  const sentence = Buffer.from((error as Error).message.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, INFO_LENGTH_MAX - 1))
  const info = Buffer.concat([sentence, Buffer.of(0)])
  return { ...answer, tlvs: new Map([[TLV_TAGS.additional_status_info_text as number, info]]) }
}

/** The message of an id that we answered, or undefined. */
async function findMessageId(database: Database, accountId: number, messageId: string): Promise<number> {
  const smppId = /^\d{1,15}$/.test(messageId) ? Number(messageId) : 0
  return (await findSubmittedMessage(database, { accountId, smppId })) ?? smppId
}

export async function answerQuery(database: Database, { credential }: GrantedBind, pdu: QueryPdu): Promise<KnownPdu> {
  const { accountId } = credential
  const messageId = await findMessageId(database, accountId, pdu.messageId)
  const [found] = await listRecipientDetails(database, accountId, [{ messageId, position: 1 }])
  const answer = { command: 'query_sm_resp' as const, status: 0, sequence: pdu.sequence, messageId: pdu.messageId }
  if (!found) {
    const isPart = await isPartWaiting(database, { accountId, smppId: messageId })
    if (!isPart) throw new StatusRefusal('ESME_RINVMSGID', 'there is no such message')
    return { ...answer, finalDate: '', messageState: ENROUTE, errorCode: 0 }
  }
  const { state, messageState: message, errorCode, deliveredAt } = found
  const { number } = receiptStateOf(toDeliver(state, { state: message as Message['state'] }))
  const error = toErrorNumber(errorCode)
  return {
    ...answer,
    finalDate: number === ENROUTE || !deliveredAt ? '' : writeTime(deliveredAt),
    messageState: number,
    // One octet; 255 stands for a larger number.
    errorCode: Math.min(error, 0xff)
  }
}

export async function answerCancel(
  database: Database,
  { credential }: GrantedBind,
  pdu: CancelPdu,
  { caller, address }: { caller: Caller; address: string }
): Promise<KnownPdu> {
  const { accountId } = credential
  if (pdu.messageId === '') throw new StatusRefusal('ESME_RCANCELFAIL', 'messages are cancelled by their id')
  const id = await findMessageId(database, accountId, pdu.messageId)
  const author = { ...toAuthor(caller, address), operation: 'cancelSm' }
  try {
    await retryBusy(CANCEL_TRIES_MAX, () =>
      database.begin(async (database) => {
        await cancel(database, { accountId, id })
        await recordAct(database, author, { object: { kind: 'message', id } })
      })
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const isUnknown = error.code === 'not_found' && !(await isPartWaiting(database, { accountId, smppId: id }))
    throw new StatusRefusal(isUnknown ? 'ESME_RINVMSGID' : 'ESME_RCANCELFAIL', error.message)
  }
  return { command: 'cancel_sm_resp', status: 0, sequence: pdu.sequence }
}
