import {
  type CarrierDraft,
  type Imported,
  isPlainSender,
  type Note,
  type PlannedAccount,
  planEmail
} from './imported.ts'
import { type KannelGroup, type KannelValue, readKannelFile } from './kannel-file.ts'
import { toRoutes } from './kannel-routes.ts'
import { type ReadSmsc, readSmsc } from './kannel-smsc.ts'

/* A configuration of Kannel in the terms of Chappe. */

export function readKannel(path: string): Imported {
  const groups = readKannelFile(path)
  const notes: Note[] = []
  const globalSender = groups.find(({ name }) => name === 'smsbox')?.values.get('global-sender')?.text
  const smscs: ReadSmsc[] = []
  const carriers: CarrierDraft[] = []
  const accounts: PlannedAccount[] = []
  for (const group of groups) {
    if (group.name === 'smsc' && group.values.get('smsc')?.text === 'smpp') {
      const read = readSmsc(group, { others: carriers, notes, globalSender })
      if (read) smscs.push(read)
      if (read) carriers.push(read.carrier)
    } else if (group.name === 'smsc') noteOtherSmsc(group, notes)
    else if (group.name === 'sendsms-user') accounts.push(...readUser(group, { accounts, notes }))
    else noteGroup(group, { notes, globalSender })
  }
  return { carriers, routes: toRoutes(smscs, { groups, notes }), accounts, notes }
}

function noteOtherSmsc(group: KannelGroup, notes: Note[]): void {
  const kind = group.values.get('smsc')?.text ?? ''
  const { file, line } = group.values.get('smsc') ?? group
  const why =
    kind === 'http'
      ? 'its requests depend on system-type: describe the provider as a carrier of type http; see docs/http-carriers.md'
      : kind === 'fake'
        ? 'it is for tests; the sandbox of Chappe takes its place'
        : 'Chappe has no carrier of this kind; ask for an SMPP account'
  notes.push({ file, line, what: `smsc of kind ${kind === '' ? 'unknown' : kind}`, why })
}

/** Keys of a user that hold without being taken over: long texts are always cut into segments. */
const SILENT = new Set(['username', 'name', 'concatenation', 'max-messages', 'user-allow-ip', 'user-deny-ip'])

const USER_REASONS: Readonly<Record<string, string>> = {
  password: 'the account gets a key of its own: no short password becomes a key',
  'default-sender': 'set it as the sender of the account',
  'faked-sender': 'set it as the sender of the account, and grant it no other',
  'default-smsc': 'add a route with the id of the account, once it is opened',
  'forced-smsc': 'add a route with the id of the account, once it is opened',
  'dlr-url': 'clients name their dlr-url with each message',
  'white-list': 'numbers are not listed by account; limits have countries',
  'black-list': 'add the numbers as STOPs of the account',
  'allowed-prefix': 'limit the countries of the account',
  'denied-prefix': 'limit the countries of the account'
}

function readUser(
  group: KannelGroup,
  { accounts, notes }: { accounts: readonly PlannedAccount[]; notes: Note[] }
): PlannedAccount[] {
  const note = (place: { file: string; line: number }, what: string, why: string) => {
    notes.push({ file: place.file, line: place.line, what, why })
  }
  const username = group.values.get('username')
  if (!username || username.text === '') {
    note(group, 'sendsms-user', 'has no username')
    return []
  }
  if (accounts.some((account) => account.username === username.text)) {
    note(username, `sendsms-user ${username.text}`, 'is written twice; the first counts')
    return []
  }
  const email = planEmail(username.text, 'kannel')
  const isTaken = accounts.some((account) => account.email === email)
  const addresses = readAddresses(group.values.get('user-allow-ip'), note)
  if (group.values.has('user-deny-ip') && addresses.length === 0) {
    note(group.values.get('user-deny-ip') ?? group, 'user-deny-ip', 'a key allows networks; it denies none')
  }
  for (const [key, value] of group.values) {
    if (!SILENT.has(key)) note(value, `${key} of ${username.text}`, USER_REASONS[key] ?? 'has no counterpart')
  }
  return [
    {
      username: username.text,
      email: isTaken ? planEmail(`${username.text}-${accounts.length + 1}`, 'kannel') : email,
      social_reason: (group.values.get('name')?.text ?? username.text).slice(0, 100),
      scopes: ['send'],
      addresses,
      credits: 0
    }
  ]
}

/** Networks of a key. Kannel writes a network with stars: 10.*.*.* */
function readAddresses(
  value: KannelValue | undefined,
  note: (place: { file: string; line: number }, what: string, why: string) => void
): string[] {
  if (!value) return []
  const addresses: string[] = []
  for (const given of value.text.split(/[;,]/).map((each) => each.trim())) {
    if (given === '') continue
    const parts = given.split('.')
    const fixed = parts.indexOf('*')
    const numbers = fixed < 0 ? parts : parts.slice(0, fixed)
    const isRight =
      parts.length === 4 &&
      numbers.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256) &&
      parts.slice(numbers.length).every((part) => part === '*')
    if (!isRight) note(value, `user-allow-ip ${given}`, 'is no address and no network')
    // All addresses: a key without networks.
    else if (numbers.length === 0) return []
    else addresses.push(`${[...numbers, 0, 0, 0, 0].slice(0, 4).join('.')}/${numbers.length * 8}`)
  }
  return addresses
}

const GROUP_REASONS: Readonly<Record<string, string>> = {
  core: 'ports, logs and stores of bearerbox have no counterpart',
  smsbox: 'ports and logs of smsbox have no counterpart; CHAPPE_DOORS=kannel opens sendsms',
  'sms-service': 'replies come to webhooks of the type replies; a program of yours answers them',
  'smsbox-route': 'replies go to the account that wrote last, or that holds the number'
}

const KEY_REASONS: Readonly<Record<string, string>> = {
  'white-list': 'numbers are not listed; limits of an account have countries',
  'black-list': 'import the numbers as STOPs of the operator',
  'unified-prefix': 'numbers are read by their country, in any notation',
  'dlr-storage': 'receipts of messages that Kannel has sent are not taken over: let it run until they have come',
  'store-file': 'messages that wait in Kannel are not taken over: let it run until its queue is empty',
  'store-location': 'messages that wait in Kannel are not taken over: let it run until its queue is empty'
}

function noteGroup(
  { name, file, line, values }: KannelGroup,
  { notes, globalSender }: { notes: Note[]; globalSender: string | undefined }
): void {
  const keyword = values.get('keyword')?.text
  const what = `group ${name}${keyword === undefined ? '' : ` with the keyword ${keyword}`}`
  notes.push({ file, line, what, why: GROUP_REASONS[name] ?? 'Chappe has nothing like it' })
  for (const [key, value] of values) {
    const why = KEY_REASONS[key]
    if (why) notes.push({ file: value.file, line: value.line, what: key, why })
    if (key === 'global-sender' && globalSender !== undefined && !isPlainSender(globalSender)) {
      const reason = 'a sender is 3 to 11 letters and digits with a letter, or a short code of 5 or 6 digits'
      notes.push({ file: value.file, line: value.line, what: key, why: reason })
    }
  }
}
