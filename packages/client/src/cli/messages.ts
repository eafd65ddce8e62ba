import { stat } from 'node:fs/promises'
import type { Client } from '../client.ts'
import { pages } from '../pages.ts'
import { type Arguments, type Command, OUTPUT_OPTIONS, textOf } from './command.ts'
import { connect } from './credentials.ts'
import { EXIT, type Io } from './io.ts'
import { formOf, printRecord, printRows } from './output.ts'
import { countingFetch, createBar } from './progress.ts'
import { openFile, toId } from './send.ts'

const PAGE_SIZE_MAX = 1000

const LIMIT = 20

/** The first items of a list, as many as `--limit` says; 0 for all. */
async function take<T>(items: AsyncIterable<T>, given: Arguments['given']): Promise<T[]> {
  const limit = limitOf(given)
  const taken: T[] = []
  for await (const item of items) {
    taken.push(item)
    if (taken.length === limit) break
  }
  return taken
}

function limitOf(given: Arguments['given']): number {
  const text = textOf(given.limit)
  if (text === undefined) return LIMIT
  return text === '0' ? 0 : toId(text, '--limit')
}

function pageSizeOf(given: Arguments['given']): number {
  return Math.min(limitOf(given) || PAGE_SIZE_MAX, PAGE_SIZE_MAX)
}

const list = { ...OUTPUT_OPTIONS, limit: { type: 'string' } } as const

export const messages: Command = {
  usage: 'messages [--state STATE] [--search TEXT] [--limit N]',
  summary: 'The newest messages; --limit 0 for all',
  options: { ...list, state: { type: 'string' }, search: { type: 'string' } },
  async run({ given }, io) {
    const query = {
      limit: pageSizeOf(given),
      ...(given.state !== undefined && { state: textOf(given.state) as 'sent' }),
      ...(given.search !== undefined && { search: textOf(given.search) })
    }
    const rows = await take(pages(await connect(io.env), 'GET /messages', { query }, { signal: io.signal }), given)
    const shown = rows.map(({ summary, ...row }) => ({ ...row, delivered: summary.delivered, failed: summary.failed }))
    const form = formOf(given)
    const columns = [
      'id',
      'state',
      'channel',
      'recipients_count',
      'delivered',
      'failed',
      'scheduletimestamp',
      'content'
    ]
    printRows(io, form === 'json' ? rows : shown, form, columns)
    return EXIT.done
  }
}

export const recipients: Command = {
  usage: 'recipients <message id> [--limit N]',
  summary: 'The recipients of a message; --limit 0 for all',
  options: list,
  words: [1, 1],
  async run({ words: [id = ''], given }, io) {
    const client = await connect(io.env)
    const path = { id: toId(id, 'the message') }
    const { channel } = await client.call('GET /messages/{id}', { path }, { signal: io.signal })
    const input = { path, query: { limit: pageSizeOf(given) } }
    const rows =
      channel === 'rcs'
        ? await take(pages(client, 'GET /messages/{id}/recipients/rcs', input, { signal: io.signal }), given)
        : await take(pages(client, 'GET /messages/{id}/recipients/sms', input, { signal: io.signal }), given)
    const columns = ['id', 'recipient', 'deliver', 'deliver_label', 'errorcode', 'sent_at', 'delivered_at']
    printRows(io, rows, formOf(given), columns)
    return EXIT.done
  }
}

export const cancel: Command = {
  usage: 'cancel <message id>',
  summary: 'Cancel what has not left of a message',
  words: [1, 1],
  async run({ words: [id = ''], given }, io) {
    const client = await connect(io.env)
    const message = await client.call('PUT /messages/{id}/cancel', { path: { id: toId(id, 'the message') } })
    const { state, credits_refunded } = message
    printRecord(io, formOf(given) === 'json' ? message : { id: message.id, state, credits_refunded }, formOf(given))
    return EXIT.done
  }
}

export const importContacts: Command = {
  usage: 'import <file> (--list ID | --new-list NAME)',
  summary: 'Add the people of a CSV, TXT or XLSX file to a contact list',
  options: { list: { type: 'string' }, 'new-list': { type: 'string' } },
  words: [1, 1],
  async run({ words: [file = ''], given }, io) {
    const bar = createBar(io, (await stat(file)).size)
    const client = await connect(io.env, { fetch: countingFetch(bar.move) })
    // Opened before a list is made: a file that is none leaves no empty list.
    const opened = await openFile(file)
    const contactlist_id = await findList(client, given, io)
    const body = { contactlist_id, file: opened }
    const added = await client
      .call('POST /contacts/file', { body }, { signal: io.signal, timeoutMs: IMPORT_TIMEOUT_MS })
      .finally(bar.end)
    const { errors, ...counts } = added
    printRecord(
      io,
      formOf(given) === 'json' ? { contactlist_id, ...added } : { contactlist_id, ...counts },
      formOf(given)
    )
    for (const { line, value, reason } of errors) io.err(`line ${line}: ${value} ${reason}\n`)
    return EXIT.done
  }
}

const IMPORT_TIMEOUT_MS = 600_000

async function findList(client: Client, given: Arguments['given'], io: Io): Promise<number> {
  const name = textOf(given['new-list'])
  if (name === undefined) return toId(textOf(given.list) ?? '', '--list')
  return (await client.call('POST /contactlists', { body: { name } }, { signal: io.signal })).id
}
