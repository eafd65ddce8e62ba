import { strict as assert } from 'node:assert'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Context, createContext, Script } from 'node:vm'
import { Format } from 'typebox/format'

/*
 * Every regular expression of src/ against texts that are made to keep it searching: its own characters, and what it is
 * likely to meet, many times over, with an end that does not match. One that takes the square of the length needs billions of
 * steps for these, and is stopped; all others are done in some milliseconds. What counts is the CPU time of this thread: on a
 * busy machine a search may stand still for as long as it likes.
 */

const root = join(import.meta.dirname, '..', '..')
const LENGTH = 100_000
/** A good pattern takes some milliseconds, and the square of the length many seconds. */
const CPU_MAX_MS = 200
/** For all short texts of a pattern: 56 of them take some milliseconds, and the square of one takes 50 or more. */
const SHORT_CPU_MAX_MS = 20
const SEARCH = new Script('for (const text of texts) pattern.test(text)')

/** These may take the square of the length, and why that does no harm. A pattern not listed here may not. */
const BOUNDED: Record<string, string> = {
  '/\\/+$/': 'only settings and files of the operator',
  '/\\.+$/': 'a host name of a URL of at most 2,048 characters (webhooks/target.ts)',
  '/=+$/': 'the base64 of 16 or 32 bytes of ours (accounts/passwords.ts)',
  '/"[^"]*"|\\[[^\\]]*\\]|\\\\./g': 'the first 255 characters of a format (spreadsheets/xlsx-dates.ts)',
  '/<script(?![^>]*\\ssrc=)[^>]*>([\\s\\S]*?)<\\/script>/g': 'a page of ours (http/reference.ts)'
}

/** Made of parts when they are loaded, so not to be read from the text; each with where it is. */
const COMPOSED = [
  'phone-numbers/quick-path.ts',
  'phone-numbers/plausible.ts',
  'clicks/robots.ts',
  'gsm/typography.ts',
  'carriers/http/http-request.ts'
]

test('no regular expression that meets what others send takes longer than the text is long', async (t) => {
  const found = await findPatterns()
  const patterns = [...found.keys()]
  assert.ok(patterns.length > 80, `only ${patterns.length} were found`)
  const slow: string[] = []
  for (const pattern of patterns) {
    if (BOUNDED[pattern] !== undefined) continue
    const problem = findSlow(pattern)
    if (problem !== undefined) slow.push(`${found.get(pattern)}: ${pattern} ${problem}`)
  }
  assert.deepEqual(slow, [])
  // What is listed as bounded is still there: else the list would hide the next one that looks like it.
  for (const pattern of Object.keys(BOUNDED)) assert.ok(found.has(pattern), `${pattern} is no longer in src/`)
  t.diagnostic(`${patterns.length} patterns`)
})

test('this test can tell: a pattern that takes the square of the length is stopped', () => {
  assert.ok(findSlow('/\\s+$/') !== undefined)
  assert.ok(findSlow('/^(a+)+$/') !== undefined)
  assert.equal(findSlow('/^[a-z]+$/'), undefined)
})

test('patterns that are put together from parts are those that are known here', async () => {
  const composing: string[] = []
  for (const { file, text } of await readSources()) if (/new RegExp\(/.test(text)) composing.push(file)
  assert.deepEqual(composing.toSorted(), COMPOSED.toSorted())
})

test('the forms that input is checked for, emails and dates, take no longer than the text is long', () => {
  for (const format of ['email', 'date-time'] as const) {
    for (const text of textsFor('a.@-:TZ0+', LENGTH / 2)) {
      const cpuMs = measureCpu(() => Format.Test(format, text))
      assert.ok(cpuMs < CPU_MAX_MS, `${format} ${JSON.stringify(text.slice(0, 20))} took ${cpuMs} ms`)
    }
  }
})

/** What keeps it searching for too long, if anything does. */
function findSlow(pattern: string): string | undefined {
  const end = pattern.lastIndexOf('/')
  const source = pattern.slice(1, end)
  const context = createContext({ pattern: new RegExp(source, pattern.slice(end + 1).replace('g', '')), texts: [] })
  // Nearly all are told by shorter texts: a tenth of the length takes a hundredth of the square.
  context.texts = [...textsFor(source, LENGTH / 10)]
  if (!isSlow(context, SHORT_CPU_MAX_MS)) return undefined
  for (const text of textsFor(source, LENGTH)) {
    context.texts = [text]
    if (isSlow(context, CPU_MAX_MS))
      return `with ${JSON.stringify(text.slice(0, 12))}…${JSON.stringify(text.slice(-4))}`
  }
  return undefined
}

/** Whether the search takes more CPU time than this. If the clock stops it before it had that time, it gets twice as long. */
function isSlow(context: Context, cpuMaxMs: number): boolean {
  for (let timeout = 300; ; timeout *= 2) {
    let isDone = false
    const cpuMs = measureCpu(() => {
      try {
        SEARCH.runInContext(context, { timeout })
        isDone = true
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      }
    })
    if (isDone || cpuMs > cpuMaxMs) return cpuMs > cpuMaxMs
  }
}

/** The CPU time of this thread, in milliseconds. */
function measureCpu(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Long texts of one or two characters that the pattern names, after a beginning that it names, before an end that it does not. */
function textsFor(source: string, length: number): Set<string> {
  const named = source
    .replaceAll(/\\[dws]/gi, '0a ')
    .replaceAll(/\\p\{\w+\}/gu, 'aé0 ')
    .replaceAll(/\\([^\w\s])/g, '$1')
    .replaceAll(/\\./g, ' ')
  const characters = [...new Set(`${named}a0 `)].filter((character) => !/[*?|()^]/.test(character)).slice(0, 14)
  const texts = new Set<string>()
  for (const [index, character] of characters.entries()) {
    const next = characters[(index + 1) % characters.length] ?? ''
    for (const unit of [character, character + next]) {
      const many = unit.repeat(length / unit.length)
      texts.add(`${many}\u0001`)
      texts.add(`${characters[0]}${many}\u0001`)
    }
  }
  return texts
}

async function readSources(): Promise<{ file: string; text: string }[]> {
  const sources: { file: string; text: string }[] = []
  for await (const file of glob('**/*.ts', { cwd: join(root, 'src') })) {
    if (/\.(test|samples)\.ts$/.test(file)) continue
    sources.push({ file, text: await readFile(join(root, 'src', file), 'utf8') })
  }
  return sources
}

/** Every literal, with the file it is first seen in. Comments are left out; what only looks like a literal does not compile. */
async function findPatterns(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const literal =
    /(?<=[=(,:?[{!&|]\s*|return |^\s*)\/(?![*/])((?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+)\/([dgimsuvy]*)(?=[\s.,;:)\]}]|$)/g
  for (const { file, text } of await readSources()) {
    for (const line of text.split('\n')) {
      if (/^\s*(\*|\/\/|\/\*)/.test(line)) continue
      for (const [pattern, body = '', flags] of line.matchAll(literal)) {
        try {
          new RegExp(body, flags)
        } catch {
          continue
        }
        if (!found.has(pattern)) found.set(pattern, file)
      }
    }
  }
  return found
}
