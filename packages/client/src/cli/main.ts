import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { ChappeError, ConnectionError } from '../errors.ts'
import { mcp } from './assist.ts'
import { type Arguments, type Command, OUTPUT_OPTIONS } from './command.ts'
import { completionOf } from './completion.ts'
import { listen, tail } from './follow.ts'
import { EXIT, type Io, NotLoggedIn, UsageError } from './io.ts'
import { logIn, logOut, whoAmI } from './log-in.ts'
import { cancel, importContacts, messages, recipients } from './messages.ts'
import { carriers, checkLedger, queue } from './operate.ts'
import { formOf, printRecord } from './output.ts'
import { dryRunCommand, sendCommand } from './send.ts'

const completion: Command = {
  usage: 'completion (bash | zsh | fish)',
  summary: 'Print a script that completes commands and options in a shell',
  words: [1, 1],
  async run({ words: [shell = ''], given }, io) {
    const script = completionOf(shell, COMMANDS)
    if (formOf(given) === 'json') printRecord(io, { shell, script }, 'json')
    else io.out(script)
    return EXIT.done
  }
}

/** By their names, in the order of the help. A name of two words is a command of its own. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  login: logIn,
  logout: logOut,
  whoami: whoAmI,
  send: sendCommand,
  'dry-run': dryRunCommand,
  import: importContacts,
  messages,
  recipients,
  cancel,
  tail,
  'webhooks listen': listen,
  carriers,
  queue,
  'ledger check': checkLedger,
  mcp,
  completion
}

const COMMON = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

/** Runs one command and answers the exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const found = findCommand(argv)
    if (!found) {
      const isAsked = argv.length === 0 || argv[0] === 'help' || argv[0] === '--help' || argv[0] === '-h'
      if (!isAsked) throw new UsageError(`there is no command ${argv[0]}; \`chappe help\` lists them`)
      io.out(help())
      return EXIT.done
    }
    const args = readArguments(found.command, argv.slice(found.length))
    if (args.given.help === true) {
      io.out(`chappe ${found.command.usage}\n\n${found.command.summary}.\n`)
      return EXIT.done
    }
    return await found.command.run(args, io)
  } catch (error) {
    return tell(error, argv.includes('--json'), io)
  }
}

function findCommand(argv: readonly string[]): { command: Command; length: number } | undefined {
  for (const length of [2, 1]) {
    const name = argv.slice(0, length).join(' ')
    const command = argv.length >= length && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (command) return { command, length }
  }
  return undefined
}

function readArguments({ usage, options = {}, words: [least, most] = [0, 0] }: Command, args: string[]): Arguments {
  const config: ParseArgsOptionsConfig = { ...COMMON, ...OUTPUT_OPTIONS, ...options }
  try {
    const { values, positionals } = parseArgs({ args, options: config, allowPositionals: true, strict: true })
    const isHelp = values.help === true
    if (!isHelp && (positionals.length < least || positionals.length > most)) throw new Error('the words do not fit')
    return { words: positionals, given: values }
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; it is written: chappe ${usage}`)
  }
}

/** Node says this of a blob. */
const UNREAD = 'The file could not be read to its end: it changed while it was uploaded.'

/** Says what went wrong: a sentence for a person, or JSON for a program. Answers the exit code. */
export function tell(error: unknown, isJson: boolean, io: Io): number {
  const known = error instanceof ChappeError
  const code = known ? error.code : error instanceof Error ? error.name : 'Error'
  const isUnread = code === 'NotReadableError'
  const sentence = isUnread ? UNREAD : error instanceof Error ? error.message : String(error)
  if (isJson) {
    const more = known ? { status: error.status, details: error.details, request_id: error.requestId } : {}
    io.err(`${JSON.stringify({ error: sentence, code, ...more })}\n`)
  } else {
    io.err(`chappe: ${sentence}\n`)
    if (known) for (const detail of error.details) if ('path' in detail) io.err(`  ${detail.path} ${detail.message}\n`)
    if (known && error.status >= 500) io.err(`  request ${error.requestId}\n`)
  }
  return exitOf(error)
}

function exitOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  if (error instanceof NotLoggedIn) return EXIT.unauthorized
  if (error instanceof ChappeError) return error.status === 401 ? EXIT.unauthorized : EXIT.refused
  return error instanceof ConnectionError ? EXIT.unreachable : EXIT.refused
}

function help(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    'chappe: SMS and RCS from the command line',
    '',
    ...lines,
    '',
    '`chappe <command> --help` shows its options. Every command takes --json.',
    'CHAPPE_URL and CHAPPE_API_KEY go before what `chappe login` has kept.',
    'Exit: 0 done, 1 refused, 2 wrongly written, 3 not logged in, 4 service out of reach.',
    ''
  ].join('\n')
}
