import { timingSafeEqual } from 'node:crypto'
import { rememberHmacs } from '../../http/hmac.ts'

/*
 * The platform knows a message by an id that we choose, and it has to be a UUID (phones.agentMessages.create; it names
 * RFC 4122). Ours are made of the recipient's id and a mark that only the holder of the carrier's key can make. So a
 * recipient has the same id at every attempt, which the platform takes once. And an event about our message is
 * recognised, and leads to its recipient without a look-up; an event about another system's message of the same agent
 * has no such mark. The key is stored, and stays the same when the carrier's token changes: messages on their way keep
 * their ids.
 *
 * Its 128 bits: 56 of the recipient's id, with the 4 of the version among them; 4 that are zero; 2 of the variant; 62
 * of the mark.
 */

/** 8 is the version for this in RFC 9562, but RFC 4122 ends with 5: made from a name, always the same for it. */
const VERSION = '5'
const REFERENCE_DIGITS = 14
const UUID = /^([0-9a-f]{8})-([0-9a-f]{4})-5([0-9a-f]{2})0-([89ab][0-9a-f]{3}-[0-9a-f]{12})$/
const VARIANT_BITS = 0x80
const MARK_BITS = 0x3f

/** `reference` is a recipient's id. */
export function toRbmMessageId(reference: number, key: string): string {
  const digits = reference.toString(16).padStart(REFERENCE_DIGITS, '0')
  const head = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${VERSION}${digits.slice(12)}0`
  const id = `${head}-${toMark(reference, key)}`
  remember(id, key)
  return id
}

/** Undefined when it is none of ours. */
export function fromRbmMessageId(id: string, keys: readonly string[]): number | undefined {
  const [, high, middle, low, mark] = UUID.exec(id.toLowerCase()) ?? []
  if (mark === undefined) return undefined
  const reference = Number.parseInt(`${high}${middle}${low}`, 16)
  if (!Number.isSafeInteger(reference)) return undefined
  const known = made.get(id) ?? madeBefore.get(id)
  const isOurs = (known !== undefined && keys.includes(known)) || keys.some((key) => isMark(mark, reference, key))
  return isOurs ? reference : undefined
}

/** Most reports come within seconds after their message was sent: their marks need not be computed again. */
const MADE_MAX = 10_000
/** The key of each id that was made lately, and of those that were made before them. */
let made = new Map<string, string>()
let madeBefore: ReadonlyMap<string, string> = new Map()

function remember(id: string, key: string): void {
  if (made.size >= MADE_MAX) {
    madeBefore = made
    made = new Map()
  }
  made.set(id, key)
}

/**
 * The keys that the ids of these carriers may be made with. A carrier without a stored key was never used since keys
 * are stored: the key was its token then.
 */
export function messageIdKeysOf(
  carriers: readonly { name: string; webhookToken: string }[],
  stored: ReadonlyMap<string, string>
): string[] {
  const keys = carriers.flatMap(({ name }) => stored.get(name) ?? [])
  return [...new Set([...keys, ...carriers.map(({ webhookToken }) => webhookToken)])]
}

function isMark(mark: string, reference: number, key: string): boolean {
  return timingSafeEqual(Buffer.from(mark), Buffer.from(toMark(reference, key)))
}

function toMark(reference: number, key: string): string {
  const digits = hmacOf(key)(String(reference), 'hex')
  const first = (Number.parseInt(digits.slice(0, 2), 16) & MARK_BITS) | VARIANT_BITS
  return `${first.toString(16)}${digits.slice(2, 4)}-${digits.slice(4, 16)}`
}

const hmacOf = rememberHmacs('sha256')
