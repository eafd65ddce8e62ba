import {
  type CarrierDraft,
  carrierName,
  type Imported,
  isPlainSender,
  type Note,
  type PlannedAccount,
  planEmail,
  senderKeys
} from './imported.ts'
import { readRoutes } from './jasmin-routes.ts'
import { type JcliCommand, readJcliSession } from './jasmin-session.ts'

/* A recorded session of jcli in the terms of Chappe. */

export function readJasmin(path: string): Imported {
  const commands = readJcliSession(path)
  const notes: Note[] = []
  const of = (module: string, option: string) =>
    commands.filter((command) => command.module === module && command.option === option)
  const carriers: { cid: string; carrier: CarrierDraft }[] = []
  for (const command of of('smppccm', '-s')) {
    const read = readConnector(command, { others: carriers.map(({ carrier }) => carrier), notes })
    if (read) carriers.push(read)
  }
  const accounts: PlannedAccount[] = []
  for (const command of of('user', '-s')) accounts.push(...readUser(command, { accounts, notes }))
  const shown = (module: string) => new Set(of(module, '-s').map(({ argument }) => argument))
  for (const command of of('smppccm', '-l')) noteUnshown(command, { shown: shown('smppccm'), notes })
  for (const command of of('user', '-l')) noteUnshown(command, { shown: shown('user'), notes })
  for (const command of commands) noteCommand(command, notes)
  const routes = readRoutes(of('mtrouter', '-l').at(-1), { carriers, notes })
  return { carriers: carriers.map(({ carrier }) => carrier), routes, accounts, notes }
}

/** The lines of `-s`: a key, and a value that may be empty. */
function valuesOf({ output }: JcliCommand): Map<string, { text: string; line: number }> {
  const values = new Map<string, { text: string; line: number }>()
  for (const { text, line } of output) {
    const space = text.indexOf(' ')
    values.set(space < 0 ? text : text.slice(0, space), { text: space < 0 ? '' : text.slice(space + 1).trim(), line })
  }
  return values
}

type Keys = Record<string, string | number | boolean | string[]>

/** Keys that mean the same here, each with what its text becomes; undefined: it can't be taken over. */
const TAKEN: Readonly<Record<string, (text: string) => Keys | undefined>> = {
  host: (text) => (text === '' ? undefined : { host: text }),
  port: (text) => whole(text, 'port', 1, 65_535),
  username: (text) => (text.length <= 15 ? { systemId: text } : undefined),
  password: (text) => (text.length <= 64 ? { password: text } : undefined),
  systype: (text) => (text === 'None' ? {} : text.length <= 12 ? { systemType: text } : undefined),
  submit_throughput: (text) => whole(String(Math.ceil(Number(text))), 'throughput', 0, 100_000),
  elink_interval: (text) => whole(text, 'enquireLink', 1, 600),
  res_to: (text) => whole(text, 'answerTimeout', 1, 300),
  ssl: (text) => ({ tls: /^(yes|true)$/i.test(text) }),
  bind: (text) =>
    text === 'transceiver' ? { bind: 'transceiver' } : text === 'transmitter' ? { bind: 'transceiver' } : undefined,
  src_addr: (text) => (text === 'None' ? {} : isPlainSender(text) ? senderKeys(text) : undefined)
}

/** Values of a connector that Jasmin fills in by itself, and that change nothing here. */
const DEFAULTS: Readonly<Record<string, string>> = {
  coding: '0',
  validity: 'None',
  priority: '0',
  addr_range: 'None',
  proto_id: 'None',
  def_msg_id: '0',
  ripf: '0',
  dlr_msgid: '0'
}

const SILENT = new Set(
  'cid logfile logrotate logprivacy loglevel con_fail_delay con_fail_retry con_loss_delay con_loss_retry bind_to trx_to pdu_red_to requeue_delay dlr_expiry bind_ton bind_npi src_ton src_npi dst_ton dst_npi'.split(
    ' '
  )
)

function readConnector(
  command: JcliCommand,
  { others, notes }: { others: readonly CarrierDraft[]; notes: Note[] }
): { cid: string; carrier: CarrierDraft } | undefined {
  const { file, line } = command
  const values = valuesOf(command)
  const cid = values.get('cid')?.text ?? command.argument
  const keys: Keys = {}
  for (const [key, value] of values) {
    const taken = TAKEN[key]?.(value.text)
    if (taken) Object.assign(keys, taken)
    else if (TAKEN[key]) notes.push({ file, line: value.line, what: `${key} of ${cid}`, why: whyNot(key) })
    else if (!SILENT.has(key) && DEFAULTS[key] !== value.text) {
      notes.push({ file, line: value.line, what: `${key} of ${cid}`, why: 'has no counterpart' })
    }
  }
  if (values.get('bind')?.text === 'transmitter') {
    const why = 'is transceiver here: delivery reports come over the same bind'
    notes.push({ file, line: values.get('bind')?.line ?? line, what: `bind of ${cid}`, why })
  }
  const missing = ['host', 'port', 'systemId', 'password'].filter((key) => !(key in keys))
  if (missing.length > 0 || values.get('bind')?.text === 'receiver') {
    const why = missing.length > 0 ? `has no usable ${missing.join(', ')}` : 'only receives'
    notes.push({ file, line, what: `connector ${cid}`, why: `${why}: it is not taken over` })
    return undefined
  }
  const name = carrierName(cid, others)
  if (name !== cid) notes.push({ file, line, what: `connector ${cid}`, why: `is called ${name} here` })
  return { cid, carrier: { name, type: 'smpp', ...keys } as CarrierDraft }
}

function whyNot(key: string): string {
  return key === 'src_addr'
    ? 'a sender is 3 to 11 letters and digits with a letter, or a short code of 5 or 6 digits'
    : 'has a value that Chappe does not take'
}

/** Settings of a user that Jasmin fills in by itself. */
const USER_DEFAULTS = new Set([
  'valuefilter priority ^[0-3]$',
  'valuefilter content .*',
  'valuefilter src_addr .*',
  'valuefilter dst_addr .*',
  'valuefilter validity_period ^\\d+$',
  'quota early_percent ND',
  'quota balance ND',
  'quota sms_count ND',
  'quota http_throughput ND',
  'quota smpps_throughput ND',
  'quota max_bindings ND',
  'defaultvalue src_addr None',
  'authorization http_bulk False',
  'authorization ip 0.0.0.0/0'
])

const USER_REASONS: readonly [start: string, why: string][] = [
  ['quota balance', 'is money; credits are counted in SMS segments: give the account credits'],
  ['quota http_throughput', 'set requests_per_second in the limits of the account'],
  ['quota smpps_throughput', 'set it on the credentials of its SMPP binds'],
  ['quota max_bindings', 'set it on the credentials of its SMPP binds'],
  ['defaultvalue src_addr', 'set it as the sender of the account'],
  ['valuefilter src_addr', 'the sender register says which senders an account may use'],
  ['valuefilter dst_addr', 'limit the countries of the account'],
  ['authorization ip', 'set the networks on the credentials of its SMPP binds']
]

function readUser(
  command: JcliCommand,
  { accounts, notes }: { accounts: readonly PlannedAccount[]; notes: Note[] }
): PlannedAccount[] {
  const { file, line, output } = command
  const values = valuesOf(command)
  const username = values.get('username')?.text ?? ''
  if (username === '') {
    const why = 'its output names no username: was the command refused?'
    notes.push({ file, line, what: `user ${command.argument}`, why })
    return []
  }
  if (accounts.some((account) => account.username === username)) return []
  const settings = output.flatMap(({ text, line }) => {
    const setting = /^(?:mt_messaging_cred|smpps_cred) (.*)$/.exec(text)?.[1]
    return setting === undefined ? [] : [{ setting, line }]
  })
  const isAllowed = (what: string) => !settings.some(({ setting }) => setting === `authorization ${what} False`)
  let credits = 0
  for (const { setting, line } of settings) {
    const count = /^quota sms_count (\d{1,9})$/.exec(setting)?.[1]
    if (count !== undefined) credits = Number(count)
    else if (!USER_DEFAULTS.has(setting) && !/^authorization \w+ True$/.test(setting)) {
      const why = USER_REASONS.find(([start]) => setting.startsWith(start))?.[1] ?? 'has no counterpart'
      if (!/^authorization http_(send|balance|rate) False$/.test(setting)) {
        notes.push({ file, line, what: `${setting} of ${username}`, why })
      }
    }
  }
  const why = 'jcli shows no passwords; the account gets a key of its own'
  notes.push({ file, line, what: `password of ${username}`, why })
  const email = planEmail(username, 'jasmin')
  const isTaken = accounts.some((account) => account.email === email)
  return [
    {
      username,
      email: isTaken ? planEmail(`${username}-${accounts.length + 1}`, 'jasmin') : email,
      social_reason: username.slice(0, 100),
      scopes: [
        ...(isAllowed('http_send') ? (['send'] as const) : []),
        ...(isAllowed('http_balance') || isAllowed('http_rate') ? (['read'] as const) : [])
      ],
      addresses: [],
      credits
    }
  ]
}

/** Listed connectors and users whose details the session does not show. */
function noteUnshown(
  { module, file, output }: JcliCommand,
  { shown, notes }: { shown: Set<string>; notes: Note[] }
): void {
  for (const { text, line } of output) {
    const id = /^#(!?\S+)/.exec(text)?.[1]
    if (id === undefined || /^(Connector|User)$/.test(id)) continue
    const name = id.replace(/^!/, '')
    if (id.startsWith('!'))
      notes.push({ file, line, what: `${module} ${name}`, why: 'is disabled there; here it is open' })
    if (!shown.has(name))
      notes.push({ file, line, what: `${module} ${name}`, why: `record ${module} -s ${name} as well` })
  }
}

const COMMAND_REASONS: Readonly<Record<string, string>> = {
  httpccm: 'replies come to webhooks of the type replies: set their address there',
  morouter: 'replies go to the account that wrote last, or that holds the number',
  mtinterceptor: 'scripts of interceptors have no counterpart',
  mointerceptor: 'scripts of interceptors have no counterpart'
}

function noteCommand({ module, option, file, line, output }: JcliCommand, notes: Note[]): void {
  const why = COMMAND_REASONS[module]
  if (why && option === '-l' && output.some(({ text }) => /^#(?!Httpcc|Order|#)/.test(text))) {
    notes.push({ file, line, what: `${module} ${option}`, why })
  }
}

function whole(text: string, key: string, min: number, max: number): Keys | undefined {
  const value = Number(text)
  return Number.isInteger(value) && value >= min && value <= max ? { [key]: value } : undefined
}
