import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { readText } from './imports.ts'
import type { Options } from './options.ts'

export const ROOT = join(import.meta.dirname, '../..')

/**
 * The test files that the options ask for. Tests that need a program which most machines lack are in files with another
 * name, `*.foreign.ts`: they run only when their path is given.
 */
export async function chooseFiles({ words, name }: Options): Promise<string[]> {
  const foreign = (await Array.fromAsync(glob('test/**/*.foreign.ts', { cwd: ROOT }))).filter((file) =>
    words.includes(file)
  )
  const files = [...(await Array.fromAsync(glob('{src,test,bench,simulator}/**/*.test.ts', { cwd: ROOT }))), ...foreign]
    .sort()
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .map((file) => join(ROOT, file))
  if (name === undefined) return files
  const named = files.filter((file) => hasTest(readText(file), name))
  return named.length > 0 ? named : files.filter((file) => mayHaveTest(readText(file), name))
}

const TITLE = /(?<![.\w])(?:t\.)?test\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(`|\w))/g
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g

/** Whether a test has such a name or, where the file computes names, whether a text of the file is such a name. */
function hasTest(text: string, name: RegExp): boolean {
  const titles = [...text.matchAll(TITLE)]
  if (titles.some(([, single, double]) => name.test(plain(single ?? double ?? '')))) return true
  return (
    hasComputedName(titles) &&
    [...text.matchAll(LITERAL)].some(([, single, back]) => name.test(plain(single ?? back ?? '')))
  )
}

/** A computed name may be put together from parts: all words of the pattern are somewhere in the file. */
function mayHaveTest(text: string, name: RegExp): boolean {
  const words = name.source.toLowerCase().match(/[\p{L}\d-]+/gu) ?? []
  const lower = text.toLowerCase()
  return hasComputedName([...text.matchAll(TITLE)]) && words.every((word) => lower.includes(word))
}

function hasComputedName(titles: readonly RegExpExecArray[]): boolean {
  return titles.some(([, , , other]) => other !== undefined)
}

function plain(literal: string): string {
  return literal.replaceAll(/\\(.)/g, '$1')
}
