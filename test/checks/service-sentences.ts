import { glob, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseSync } from 'vite'
import { REFUSAL_CODES } from '../../src/errors.ts'

/*
 * The sentences that the service may show to a person, from its sources. Values within a sentence become 7. Sentences of the
 * API document, of logs, of mistakes in settings and of bugs are left out: nobody meets them in the console.
 */

export interface FoundSentence {
  sentence: string
  /** Such as src/sends/plan.ts:12. */
  place: string
}

const root = join(import.meta.dirname, '../..')

interface Node {
  type: string
  start: number
  [key: string]: unknown
}

/** Keys of the API document: a refusal is described there by its code. */
const DOCUMENT_KEYS = new Set([
  'description',
  'summary',
  'example',
  'examples',
  'refusals',
  'x-words',
  ...Object.keys(REFUSAL_CODES)
])
/** Calls that log, count, describe the API or stop the process. */
const OTHER_CALLS =
  /^(?:log|assert|senderField|LanguageSchema|Moment|Day|Id|Word|ids|count|moment|CurrentPassword)$|\.(?:info|warn|error|debug|fatal|fail|counter|gauge|histogram)$/
const OTHER_ERRORS = /^(?:Error|TypeError|RangeError|CannotStart|CannotMove|ProtocolError)$/

/** What follows the name of a field, in the sentences of `invalidInput`. */
const PROBLEM =
  /^(?:of the account )?(?:must|is|has|have|names|uses|can’t|does|was|were|holds|looks|belongs|would|never|answered) [^\n]*$/
/** A whole sentence. */
const SENTENCE = /^\p{Lu}[^\n]* [^\n]*[.!?]$/u

export async function findSentences(): Promise<FoundSentence[]> {
  const found: FoundSentence[] = []
  for await (const file of glob(join(root, 'src/**/*.ts'))) {
    if (/\.(?:test|samples|store)\.ts$/.test(file)) continue
    const path = relative(root, file)
    const source = await readFile(file, 'utf8')
    for (const { text, start } of textsOf(parseSync(file, source).program as unknown as Node)) {
      if (!PROBLEM.test(text) && !SENTENCE.test(text)) continue
      found.push({ sentence: text, place: `${path}:${source.slice(0, start).split('\n').length}` })
    }
  }
  return found
}

function* textsOf(node: unknown): Iterable<{ text: string; start: number }> {
  if (Array.isArray(node)) {
    for (const one of node) yield* textsOf(one)
    return
  }
  if (!isNode(node) || isLeftOut(node)) return
  const text = textOf(node)
  if (text !== undefined) yield { text, start: node.start }
  for (const [key, value] of Object.entries(node)) if (key !== 'quasis') yield* textsOf(value)
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function isLeftOut(node: Node): boolean {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'TaggedTemplateExpression':
      return true
    case 'ObjectExpression':
      return isAnswer(node)
    case 'Property':
      return DOCUMENT_KEYS.has(nameOf(node.key))
    case 'CallExpression':
      return OTHER_CALLS.test(nameOf(node.callee))
    case 'NewExpression':
      return OTHER_ERRORS.test(nameOf(node.callee))
    default:
      return false
  }
}

/** `{ success: true, message: 'The draft was deleted.' }`: the console tells success in words of its own. */
function isAnswer({ properties }: Node): boolean {
  return (properties as Node[]).some(({ key }) => nameOf(key) === 'success')
}

/** Of an identifier, of a string, or of the member that is called: `log.warn`. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'MemberExpression') return `${nameOf(node.object)}.${nameOf(node.property)}`
  return String(node.name ?? node.value ?? '')
}

function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  const quasis = node.quasis as { value: { cooked: string } }[]
  return quasis.map(({ value }) => value.cooked).join('7')
}
