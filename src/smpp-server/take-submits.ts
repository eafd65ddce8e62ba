import { strict as assert } from 'node:assert'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { Refusal } from '../errors.ts'
import type { Author } from '../http/act.ts'
import type { Caller } from '../http/caller.ts'
import type { Log } from '../http/log.ts'
import { findMessageByExternalId } from '../messages/external-ids.store.ts'
import { drawMessageIds } from '../messages/new-messages.store.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import type { Accept } from '../sends/accept.ts'
import { literalContent, literalMarketing } from '../sends/content.ts'
import type { RecipientSource } from '../sends/recipient-source.ts'
import { fromObjects } from '../sends/recipient-sources.ts'
import { ofCaller, readSender, type SmsSend } from '../sends/send.ts'
import { readOptions, refuseBinaryBeside, type SmsOptionFields, VALIDITY_SECONDS_MAX } from '../sends/send-options.ts'
import { insertLostParts, type SubmitWishes, WANTS } from '../smpp-outbox/outbox.store.ts'
import { type Coding, decodeBody, joinBodies } from './codings.ts'
import { listPhones } from './details.store.ts'
import {
  countOpenParts,
  deleteLostParts,
  forgetRepeats,
  insertPart,
  type LostPart,
  listParts,
  lockPartSet,
  type PartSet,
  type StoredPart,
  updateToJoined,
  updateToLost,
  updateToRepeated
} from './parts.store.ts'
import type { Submit, SubmitFields, TextPart } from './read-submit.ts'
import { StatusRefusal } from './statuses.ts'

/*
 * A submit becomes a message, in the way of every send. Parts of a long text are stored before they are answered; the last
 * one makes the message, in one transaction with the parts.
 */

/** The customer of a bind, as far as its submits depend on it. */
export interface Submitter {
  caller: Caller
  credentialId: number
  category: 'transactional' | 'marketing'
  address: string
}

export interface TakenSubmit {
  /** The id that the customer knows it by. */
  smppId: number
  /** Of a submit to several numbers, those that it does not go to. */
  dropped: readonly string[]
}

export type TakeSubmit = ReturnType<typeof createTakeSubmit>

const NO_HEADER = Buffer.alloc(0)
const BUSY_TRIES_MAX = 4
/** Of an account. Parts cost nothing until they are a message, and must not fill the database. */
const OPEN_PARTS_MAX = 5_000

interface TakeSubmitParts {
  /** The database as the account sees it: its requests share few connections. */
  databaseOf(caller: Caller): Database
  sending: { accept: Accept }
  log: Log
}

export function createTakeSubmit({ databaseOf, sending, log }: TakeSubmitParts) {
  async function takeWhole(submitter: Submitter, submit: Submit): Promise<TakenSubmit> {
    const { wants, reference, externalId, to } = submit
    const { send, source } = toSend(submitter, submit, { wants, reference }, submit)
    try {
      const { message_id: smppId, recipients_count: count } = await sending.accept(
        databaseOf(submitter.caller),
        send,
        source
      )
      return {
        smppId,
        dropped: count === to.length ? [] : await findDropped(submitter, smppId, to, { databaseOf, log })
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'external_id_already_processed') throw error
      // A repeat of a submit whose answer was lost: it is answered as the first time.
      const { accountId } = submitter.caller
      const smppId = await findMessageByExternalId(databaseOf(submitter.caller), {
        accountId,
        externalId: externalId ?? ''
      })
      if (smppId === undefined) throw error
      return { smppId, dropped: [] }
    }
  }

  async function takePart(submitter: Submitter, submit: Submit, part: TextPart): Promise<TakenSubmit> {
    const { body, header: _header, part: _part, ...given } = submit
    const set = toPartSet(submitter, submit, part)
    const fields = { ...given, to: [set.destination] }
    const smppId = await retryBusy(BUSY_TRIES_MAX, () =>
      databaseOf(submitter.caller).begin((database) => storePart(database, submitter, set, { ...part, body, fields }))
    )
    return { smppId, dropped: [] }
  }

  async function storePart(
    database: Database,
    submitter: Submitter,
    set: PartSet,
    part: TextPart & { body: Buffer; fields: SubmitFields }
  ): Promise<number> {
    const { accountId } = set
    await lockPartSet(database, set)
    const known = await listParts(database, set)
    const repeat = findRepeat(known, part)
    if (repeat) {
      await updateToRepeated(database, { accountId, smppId: repeat.smppId, fields: part.fields })
      return repeat.smppId
    }
    let waiting = known.filter(isWaiting)
    // Another text under the same reference: the message before will not become complete any more.
    if (!waiting.every((other) => isBeside(other, part))) {
      await recordLost(database, await updateToLost(database, { accountId, smppIds: waiting.map(toSmppId) }))
      waiting = []
    }
    await refuseManyOpen(database, accountId)
    if (waiting.length === 0) waiting = await copyRepeats(database, set, { known, part })
    const [smppId] = await drawMessageIds(database, 1)
    assert(smppId !== undefined)
    const isLast = waiting.length + 1 === part.total
    const stored = { ...part, smppId, state: isLast ? ('joined' as const) : ('waiting' as const), isRepeated: false }
    await insertPart(database, set, stored)
    if (isLast) await join(database, submitter, [...waiting, stored])
    return smppId
  }

  async function join(database: Database, submitter: Submitter, parts: readonly StoredPart[]): Promise<void> {
    const { accountId } = submitter.caller
    const others = parts.filter(({ state }) => state === 'waiting')
    const joined = await updateToJoined(database, { accountId, smppIds: others.map(toSmppId) })
    // One of them was given up at this moment: the last part is refused, and nothing is stored.
    if (joined !== others.length) throw new StatusRefusal('ESME_RSYSERR', 'a part before was given up')
    const inOrder = parts.toSorted((a, b) => a.position - b.position)
    const [first] = inOrder
    assert(first)
    const wishes: SubmitWishes = {
      wants: 0,
      reference: undefined,
      parts: inOrder.map(({ smppId, fields: { wants, reference } }) => ({ smppId, wants, reference }))
    }
    const { body, coding } = joinBodies(inOrder.map(({ body, fields: { coding } }) => ({ body, coding })))
    const { send, source } = toSend(submitter, { ...first.fields, coding }, wishes, { body, header: NO_HEADER })
    await sending.accept(database, send, source)
  }

  return (submitter: Submitter, submit: Submit): Promise<TakenSubmit> =>
    submit.part ? takePart(submitter, submit, submit.part) : takeWhole(submitter, submit)
}

/** None if they can't be read: the message is stored, and its customer would submit it again after an error. */
async function findDropped(
  { caller }: Submitter,
  messageId: number,
  to: readonly string[],
  { databaseOf, log }: Pick<TakeSubmitParts, 'databaseOf' | 'log'>
): Promise<string[]> {
  try {
    const phones = await listPhones(databaseOf(caller), { accountId: caller.accountId, messageId })
    return to.filter((number) => !phones.has(parsePhoneNumber(number, caller.country)?.e164 ?? ''))
  } catch (error) {
    log.error({ err: error, message: messageId }, 'an SMPP client is not told which numbers its message leaves out')
    return []
  }
}

function toPartSet({ caller, credentialId }: Submitter, { to, sender }: Submit, { reference }: TextPart): PartSet {
  const [number] = to
  assert(number !== undefined)
  if (to.length > 1) throw new StatusRefusal('ESME_RINVNUMDESTS', 'a part goes to one number')
  // In E.164, so that an erasure finds the part.
  const destination = parsePhoneNumber(number, caller.country)?.e164
  if (!destination) throw new StatusRefusal('ESME_RINVDSTADR', 'destination_addr is no phone number')
  return { accountId: caller.accountId, credentialId, source: sender ?? '', destination, reference }
}

async function refuseManyOpen(database: Database, accountId: number): Promise<void> {
  if ((await countOpenParts(database, { accountId, max: OPEN_PARTS_MAX })) < OPEN_PARTS_MAX) return
  throw new StatusRefusal('ESME_RMSGQFUL', `${OPEN_PARTS_MAX} parts already wait for the rest of their messages`)
}

function toSmppId({ smppId }: StoredPart): number {
  return smppId
}

function isWaiting({ state }: StoredPart): boolean {
  return state === 'waiting'
}

/** Whether two parts can be of one message. */
function isBeside(other: StoredPart, { total, position }: TextPart): boolean {
  return other.total === total && other.position !== position
}

/**
 * The part that came before and comes again, because its answer was lost. What a waiting message lacks is no repeat: clients use
 * a reference again, and messages begin or end alike.
 */
function findRepeat(known: readonly StoredPart[], part: TextPart & { body: Buffer }): StoredPart | undefined {
  const waiting = known.filter(isWaiting)
  if (waiting.length > 0 && waiting.every((other) => isBeside(other, part))) return undefined
  return known.findLast(
    ({ total, position, body }) => total === part.total && position === part.position && body.equals(part.body)
  )
}

/**
 * Parts that came again were answered as the first time. If they were all that come before this part, which differs, they were
 * the beginning of another message that begins alike. It gets copies of them. The client knows these by the ids of the first
 * message, so nobody waits for their receipts.
 */
async function copyRepeats(
  database: Database,
  set: PartSet,
  { known, part }: { known: readonly StoredPart[]; part: TextPart }
): Promise<StoredPart[]> {
  const repeated = known.filter(({ isRepeated }) => isRepeated)
  if (repeated.length === 0) return []
  await forgetRepeats(database, set)
  const before = repeated.filter(({ total, position }) => total === part.total && position < part.position)
  const byPosition = new Map(before.map((each) => [each.position, each]))
  if (byPosition.size < part.position - 1) return []
  const ids = await drawMessageIds(database, byPosition.size)
  const copies = [...byPosition.values()].map((each, index) => {
    const smppId = ids[index]
    assert(smppId !== undefined)
    return { ...each, smppId, state: 'waiting' as const, isRepeated: false, fields: { ...each.fields, wants: 0 } }
  })
  for (const copy of copies) await insertPart(database, set, { ...copy, reference: set.reference })
  return copies
}

/** Records the receipts of failure of parts that are given up. Parts without one are removed. */
export async function recordLost(database: Database, lost: readonly LostPart[]): Promise<void> {
  const wanted = lost.filter(({ wants }) => (wants & WANTS.failure) !== 0)
  await insertLostParts(
    database,
    wanted.map(({ accountId, smppId }) => ({ accountId, smppId, state: RECIPIENT_STATES.expired }))
  )
  const unwanted = lost.filter(({ wants }) => (wants & WANTS.failure) === 0)
  await deleteLostParts(database, unwanted)
}

function toSend(
  { caller, category, address }: Submitter,
  fields: SubmitFields,
  wishes: SubmitWishes,
  { body, header }: { body: Buffer; header: Buffer }
): { send: SmsSend; source: RecipientSource } {
  const text = fields.coding === 'binary' ? '' : toText(body, fields.coding)
  const content = (category === 'marketing' ? literalMarketing : literalContent)(text, caller)
  const now = databaseNow()
  const departsAt = fields.departsAt === undefined ? now : new Date(fields.departsAt)
  const send: SmsSend = {
    channel: 'sms',
    ...ofCaller(caller, category),
    author: toAuthor(caller, address),
    content,
    variables: content.variables,
    pathOf: () => 'content',
    writtenAs: (name) => name,
    link: undefined,
    stopLinkUrl: undefined,
    sender: readSender({
      given: fields.sender,
      path: 'sender',
      ofTemplate: undefined,
      ofAccount: caller.defaultSender
    }),
    externalId: fields.externalId,
    now,
    departsAt,
    options: toOptions({ caller, category }, fields, { body, header, departsAt }),
    wishes
  }
  const numbers = fields.to.map((recipient) => ({ recipient, text }))
  return { send, source: fromObjects(numbers, send) }
}

function toOptions(
  { caller, category }: Pick<Submitter, 'caller' | 'category'>,
  { coding, flash, validUntil, isUrgent }: SubmitFields,
  { body, header, departsAt }: { body: Buffer; header: Buffer; departsAt: Date }
) {
  const seconds =
    validUntil === undefined ? undefined : Math.ceil((new Date(validUntil).getTime() - departsAt.getTime()) / 1000)
  // The first part of a long text said it long ago.
  if (seconds !== undefined && seconds < 1) {
    throw new StatusRefusal('ESME_RINVEXPIRY', 'validity_period was over before the last part came')
  }
  const options: SmsOptionFields = {
    // Clients ask for more than any network keeps.
    ...(seconds !== undefined && { validity: Math.min(seconds, VALIDITY_SECONDS_MAX) }),
    ...(isUrgent && category === 'transactional' && { priority: 'high' as const }),
    ...(flash && { flash }),
    ...(coding === 'binary' && { binary: { data: body.toString('hex'), udh: header.toString('hex') } })
  }
  refuseBinaryBeside({ ...options, category }, caller)
  return readOptions(options, { category, departsAt })
}

/** PostgreSQL stores no NUL in a text, and no unpaired surrogate. */
function toText(body: Buffer, coding: Exclude<Coding, 'binary'>): string {
  const storable = decodeBody(body, coding).replaceAll('\0', '').toWellFormed()
  if (storable.trim() === '') throw new StatusRefusal('ESME_RINVMSGLEN', 'the text is empty')
  return storable
}

export function toAuthor({ accountId }: Caller, address: string): Author {
  return { operation: 'submitSm', accountId, personId: null, keyId: null, viewedFrom: null, address }
}
