import { openAsBlob } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Schemas } from '../api-types.ts'
import { dryRun, type SendRoute, send } from '../sends.ts'
import { type Arguments, type Command, textOf, textsOf } from './command.ts'
import { connect } from './credentials.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { formOf, printRecord } from './output.ts'
import { countingFetch, createBar } from './progress.ts'

const options = {
  to: { type: 'string', multiple: true },
  list: { type: 'string', multiple: true },
  file: { type: 'string' },
  text: { type: 'string' },
  template: { type: 'string' },
  sender: { type: 'string' },
  at: { type: 'string' },
  link: { type: 'string' },
  marketing: { type: 'boolean' },
  'external-id': { type: 'string' }
} as const

const AUDIENCE = '(--to NUMBER… | --list ID… | --file FILE)'
const CONTENT = '(--text TEXT | --template ID)'

export const sendCommand: Command = {
  usage: `send ${AUDIENCE} ${CONTENT} [--sender NAME] [--at TIME] [--link URL] [--marketing] [--external-id ID]`,
  summary: 'Send SMS; --text - reads the text from the standard input',
  options: { ...options, 'dry-run': { type: 'boolean' } },
  run: (args, io) => run(args, io, args.given['dry-run'] === true)
}

export const dryRunCommand: Command = {
  usage: `dry-run ${AUDIENCE} ${CONTENT} …`,
  summary: 'Tell what a send would do and cost; takes the options of send',
  options,
  run: (args, io) => run(args, io, true)
}

async function run({ given }: Arguments, io: Io, isDryRun: boolean): Promise<number> {
  const fields = await readFields(given, io)
  const file = textOf(given.file)
  const bar = createBar(io, file === undefined ? 0 : (await stat(file)).size)
  const client = await connect(io.env, file === undefined ? {} : { fetch: countingFetch(bar.move) })
  const { route, body } = await toSend(given, fields)
  // A dry run of a large list takes long; it is not cut off.
  const callOptions = { signal: io.signal, timeoutMs: SEND_TIMEOUT_MS }
  const answer = await (isDryRun
    ? dryRun(client, route, body as never, callOptions)
    : send(client, route, body as never, callOptions)
  ).finally(bar.end)
  printRecord(io, answer, formOf(given))
  return EXIT.done
}

const SEND_TIMEOUT_MS = 600_000

async function readFields(given: Arguments['given'], io: Io) {
  const text = textOf(given.text)
  const template = textOf(given.template)
  if ((text === undefined) === (template === undefined)) throw new UsageError('give either --text or --template')
  const content = text === '-' ? (await io.readInput()).replace(/\r?\n$/, '') : text
  const link = textOf(given.link)
  const sender = textOf(given.sender)
  const at = textOf(given.at)
  const externalId = textOf(given['external-id'])
  return {
    ...(content === undefined ? { model_id: toId(template ?? '', '--template') } : { content }),
    ...(sender !== undefined && { sender }),
    ...(at !== undefined && { scheduleAt: at }),
    ...(link !== undefined && { shorturl: { mode: 'unique' as const, url: link } }),
    ...(given.marketing === true && { category: 'marketing' as const }),
    ...(externalId !== undefined && { external_id: externalId })
  }
}

async function toSend(
  given: Arguments['given'],
  fields: Awaited<ReturnType<typeof readFields>>
): Promise<{ route: SendRoute; body: object }> {
  const [to, lists, file] = [textsOf(given.to), textsOf(given.list), textOf(given.file)]
  if ([to.length, lists.length, file?.length ?? 0].filter((count) => count > 0).length !== 1) {
    throw new UsageError('give one of --to, --list and --file')
  }
  if (to.length > 0) {
    const recipients = to.flatMap((each) => each.split(',')).map((each) => each.trim())
    return {
      route: 'POST /messages/sms',
      body: { recipients, ...fields } satisfies Partial<Schemas['MessagesSimpleDto']>
    }
  }
  if (lists.length > 0) {
    return {
      route: 'POST /messages/sms/contactlist',
      body: { contactlist: lists.map((id) => toId(id, '--list')), ...fields }
    }
  }
  return { route: 'POST /messages/sms/file', body: { file: await openFile(file ?? ''), ...fields } }
}

export async function openFile(file: string): Promise<File> {
  const found = await stat(file)
  if (found.isDirectory()) throw new UsageError(`${file} is a folder; name a file`)
  // A pipe, such as `<(…)` of a shell, has no length, and can be read only once.
  const content = found.isFile() ? await openAsBlob(file) : new Blob([await readFile(file)])
  return new File([content], basename(file))
}

export function toId(text: string, name: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${name} must be an id, such as 7, not ${text}`)
  return Number(text)
}
