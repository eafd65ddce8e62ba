/*
 * What an import has read from the configuration of another gateway: carriers, routes and accounts in the terms of
 * Chappe, and a note for everything that could not be taken over. An import writes files and changes nothing else.
 */

export interface CarrierDraft {
  name: string
  type: 'smpp'
  host: string
  port: number
  systemId: string
  password: string
  [key: string]: string | number | boolean | string[]
}

export interface RouteDraft {
  channel: 'sms'
  prefix: string
  carriers: string[]
}

/** An account to be opened by `npm run import:apply`. */
export interface PlannedAccount {
  /** The user name at the other gateway. */
  username: string
  email: string
  social_reason: string
  /** What the key of its client may do. */
  scopes: ('read' | 'send')[]
  /** The networks that the key works from; none for all. */
  addresses: string[]
  /** Opening SMS credits. */
  credits: number
}

/** Something that was not taken over, or not as it was. */
export interface Note {
  file: string
  line: number
  what: string
  why: string
}

export interface Imported {
  carriers: CarrierDraft[]
  routes: RouteDraft[]
  accounts: PlannedAccount[]
  notes: Note[]
}

/** A file that can't be read as what it should be. The sentence names the file and the line. */
export class ImportMistake extends Error {
  constructor({ file, line }: { file: string; line: number }, sentence: string) {
    super(`${file}, line ${line}: ${sentence}`)
    this.name = 'ImportMistake'
  }
}

const NAME_LENGTH_MAX = 32

/** A name that the carriers file takes, unlike those that are there already. */
export function carrierName(wanted: string, others: readonly { name: string }[]): string {
  const base = wanted.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, NAME_LENGTH_MAX) || 'carrier'
  const isTaken = (name: string) => others.some((other) => other.name.toLowerCase() === name.toLowerCase())
  let name = base
  for (let count = 2; isTaken(name); count++) {
    const end = `-${count}`
    name = base.slice(0, NAME_LENGTH_MAX - end.length) + end
  }
  return name
}

/** A sender of letters that every country takes, or a short code. */
export function isPlainSender(text: string): boolean {
  return /^(?=.*[A-Za-z])[A-Za-z0-9]{3,11}$/.test(text) || /^\d{5,6}$/.test(text)
}

/** Keys of the carriers file for a default sender. */
export function senderKeys(sender: string): { sender: string; numbers?: string[] } {
  return /^\d+$/.test(sender) ? { sender, numbers: [sender] } : { sender }
}

/** An address that no mail reaches: the operator replaces it in the plan, or the account is used by programs alone. */
export function planEmail(username: string, gateway: string): string {
  const local = username
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^\.|\.$/g, '')
  return `${local.slice(0, 60) || 'user'}@${gateway}.invalid`
}
