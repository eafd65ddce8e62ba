import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCarriersFile } from '../carriers/carriers-file.ts'
import { CarriersFileMistakes } from '../carriers/mistakes.ts'
import type { Imported, Note } from './imported.ts'

/* The files of an import, and the report of what could not be taken over. */

const CARRIERS_NAME = 'carriers.json'
const ACCOUNTS_NAME = 'accounts.json'
/** They hold passwords. */
const OWNER_ONLY = 0o600

/** Writes the files into a folder, and returns the report. Files that are there already are never written over. */
export function writeImported(imported: Imported, folder: string): { report: string; hasMistakes: boolean } {
  const { carriers, routes, accounts, notes } = imported
  const files: { name: string; value: object }[] = [
    ...(carriers.length > 0 ? [{ name: CARRIERS_NAME, value: { carriers, routes } }] : []),
    ...(accounts.length > 0 ? [{ name: ACCOUNTS_NAME, value: { accounts } }] : [])
  ]
  for (const { name } of files) {
    const path = join(folder, name)
    if (existsSync(path)) throw new Error(`${path} exists already: move it away, or name another folder with --out.`)
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const { name, value } of files) {
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`, { mode: OWNER_ONLY, flag: 'wx' })
  }
  const mistakes = carriers.length > 0 ? mistakesOf({ carriers, routes }, folder) : []
  const report = [
    ...files.map(({ name }) => `Written: ${join(folder, name)}`),
    `Taken over: ${carriers.length} carriers, ${routes.length} routes, ${accounts.length} accounts.`,
    ...(mistakes.length > 0 ? ['To be mended by hand before Chappe takes the carriers file:', ...mistakes] : []),
    ...(notes.length > 0 ? ['Not taken over, or not as it was:', ...notes.toSorted(byPlace).map(describe)] : []),
    'Nothing else was changed.'
  ]
  return { report: `${report.join('\n')}\n`, hasMistakes: mistakes.length > 0 }
}

function mistakesOf(value: object, folder: string): string[] {
  try {
    parseCarriersFile(JSON.stringify(value, null, 2), { path: join(folder, CARRIERS_NAME), folder })
    return []
  } catch (error) {
    if (!(error instanceof CarriersFileMistakes)) throw error
    return error.message.split('\n').map((each) => `  ${each}`)
  }
}

function byPlace(a: Note, b: Note): number {
  return a.file.localeCompare(b.file) || a.line - b.line
}

function describe({ file, line, what, why }: Note): string {
  return `  ${file}, line ${line}: ${what}: ${why}.`
}
