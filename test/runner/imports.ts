import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The files, and every file of ours that they import, directly or through others. */
export function withImports(files: Iterable<string>): Set<string> {
  const found = new Set(files)
  for (const each of found) for (const imported of importsOf(each)) found.add(imported)
  return found
}

function importsOf(file: string): string[] {
  const text = readText(file)
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, path]) =>
    join(dirname(file), path ?? '')
  )
}

/** A file that is being renamed is not there for a moment. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
