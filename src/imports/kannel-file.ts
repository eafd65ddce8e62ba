import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ImportMistake } from './imported.ts'

/*
 * The configuration file of Kannel: groups of `name = value`, with an empty line between them. A line that begins with #
 * is a comment. `include` names another file, or a folder of files.
 */

export interface KannelValue {
  text: string
  file: string
  line: number
}

export interface KannelGroup {
  name: string
  file: string
  line: number
  values: Map<string, KannelValue>
}

const FILE_BYTES_MAX = 2 * 1024 * 1024
const FILES_MAX = 500

/** All groups, in their order, with those of included files. */
export function readKannelFile(path: string): KannelGroup[] {
  const groups: KannelGroup[] = []
  const open: string[] = []
  let count = 0

  function read(file: string, from: { file: string; line: number }): void {
    if (open.includes(file)) throw new ImportMistake(from, `includes ${file}, which includes this file.`)
    if (++count > FILES_MAX) throw new ImportMistake(from, `more than ${FILES_MAX} files are included.`)
    open.push(file)
    readGroups(file, readText(file, from), (included) => {
      const target = resolve(dirname(file), included.text)
      for (const each of filesOf(target, included)) read(each, included)
    })
    open.pop()
  }

  function readGroups(file: string, text: string, include: (value: KannelValue) => void): void {
    let values = new Map<string, KannelValue>()
    let begunAt = 0
    const end = () => {
      if (values.size > 0) groups.push(toGroup(values, { file, line: begunAt }))
      values = new Map()
    }
    for (const [index, row] of text.split(/\r?\n/).entries()) {
      const line = index + 1
      const trimmed = row.trim()
      if (trimmed.startsWith('#')) continue
      if (trimmed === '') {
        end()
        continue
      }
      const { name, value } = readRow(trimmed, { file, line })
      if (name === 'include') {
        end()
        include({ text: value, file, line })
        continue
      }
      if (values.size === 0) begunAt = line
      const before = values.get(name)
      if (before) throw new ImportMistake({ file, line }, `${name} is written twice, first on line ${before.line}.`)
      values.set(name, { text: value, file, line })
    }
    end()
  }

  read(resolve(path), { file: path, line: 1 })
  return groups
}

function readText(file: string, from: { file: string; line: number }): string {
  let bytes: Buffer
  try {
    if (statSync(file).size > FILE_BYTES_MAX) throw new ImportMistake(from, `${file} is larger than 2 MiB.`)
    bytes = readFileSync(file)
  } catch (error) {
    if (error instanceof ImportMistake) throw error
    throw new ImportMistake(from, `${file} can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  if (bytes.includes(0)) throw new ImportMistake({ file, line: 1 }, 'this is no text file.')
  return bytes.toString()
}

function filesOf(target: string, from: { file: string; line: number }): string[] {
  try {
    if (!statSync(target).isDirectory()) return [target]
    const entries = readdirSync(target, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => resolve(target, name))
      .sort()
  } catch (error) {
    throw new ImportMistake(from, `includes ${target}, which can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function readRow(row: string, place: { file: string; line: number }): { name: string; value: string } {
  const equals = row.indexOf('=')
  const name = row.slice(0, Math.max(0, equals)).trim()
  // Without the row: it may hold a password.
  if (!/^[A-Za-z][\w-]*$/.test(name))
    throw new ImportMistake(place, 'must be name = value, such as host = smsc.example.')
  return { name: name.toLowerCase(), value: readValue(row.slice(equals + 1).trim(), place) }
}

/** A value in quotes may hold quotes after a backslash. */
function readValue(text: string, place: { file: string; line: number }): string {
  if (!text.startsWith('"')) return text
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*$/.exec(text)?.[1]
  if (quoted === undefined) throw new ImportMistake(place, 'a quote is missing at the end.')
  return quoted.replaceAll(/\\(.)/g, '$1')
}

function toGroup(values: Map<string, KannelValue>, place: { file: string; line: number }): KannelGroup {
  const group = values.get('group')
  if (!group) throw new ImportMistake(place, 'this group has no line group = …; an empty line ends a group.')
  values.delete('group')
  return { name: group.text, ...place, values }
}
