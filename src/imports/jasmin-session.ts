import { readFileSync, statSync } from 'node:fs'
import { ImportMistake } from './imported.ts'

/*
 * A recorded session of Jasmin's management console (jcli): each command after its prompt, then its output. The store of
 * Jasmin is made of Python pickles, which only Jasmin itself can read safely; the console shows the same.
 */

export interface JcliCommand {
  /** Such as `smppccm`. */
  module: string
  /** Such as `-s`. */
  option: string
  argument: string
  file: string
  line: number
  output: { text: string; line: number }[]
}

const FILE_BYTES_MAX = 8 * 1024 * 1024
const PROMPT = /^\s*jcli\s*:\s*(.*)$/
/** What a terminal adds: colours, cursor moves, and the negotiation of telnet. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a recorded terminal has.
const CONTROLS = /\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f\ufffd]/g

const LONG_OPTIONS: Readonly<Record<string, string>> = { '--list': '-l', '--show': '-s' }

export function readJcliSession(path: string): JcliCommand[] {
  const commands: JcliCommand[] = []
  for (const [index, row] of readText(path).split('\n').entries()) {
    const text = row.replaceAll(CONTROLS, '').trimEnd()
    const typed = PROMPT.exec(text)?.[1]
    if (typed !== undefined) commands.push(toCommand(typed, { file: path, line: index + 1 }))
    else if (text.trim() !== '') commands.at(-1)?.output.push({ text: text.trim(), line: index + 1 })
  }
  if (commands.length === 0) {
    const sentence =
      'this is no recorded session of jcli: it has no line that begins with jcli :, such as jcli : user -l.'
    throw new ImportMistake({ file: path, line: 1 }, sentence)
  }
  return commands
}

function readText(path: string): string {
  try {
    if (statSync(path).size > FILE_BYTES_MAX) {
      throw new ImportMistake({ file: path, line: 1 }, 'this file is larger than 8 MiB.')
    }
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof ImportMistake) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new ImportMistake({ file: path, line: 1 }, `this file can't be read (${code}).`)
  }
}

function toCommand(typed: string, place: { file: string; line: number }): JcliCommand {
  const [module = '', given = '', ...rest] = typed.trim().split(/\s+/)
  const [option = '', joined] = given.split('=')
  return { module, option: LONG_OPTIONS[option] ?? option, argument: joined ?? rest.join(' '), ...place, output: [] }
}
