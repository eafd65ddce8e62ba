import { describe, isRest, NO_VALUES, readCount, readDuration, readSlot, type Values } from './values.ts'

/*
 * The grammar of fault rules, for any carrier: one rule per line, in words; `#` begins a comment. A table of patterns is the
 * whole grammar of one carrier. A rule applies at once, or when its prefix says so: `after 100 submits …`, `every 100
 * submits …`, `after 5s …` or `every 5s …`. A rule lasts until `behave`, or until another rule of its kind replaces it.
 */

export type Rule<Conduct, Action> =
  | { kind: 'set'; change: Partial<Conduct> | ((conduct: Conduct) => Partial<Conduct>) }
  /** Acts on the link whose traffic triggered the rule, or on all links without a trigger. */
  | { kind: 'link'; action: Action }
  | { kind: 'later'; isRepeated: boolean; wait: { count: number } | { ms: number }; rule: Rule<Conduct, Action> }
  | { kind: 'behave' }

export type RuleTable<Conduct, Action> = readonly [pattern: string, rule: (values: Values) => Rule<Conduct, Action>][]

export interface Grammar<Conduct, Action> {
  /** All rules, for the help text. */
  patterns: readonly string[]
  /** Throws an error that names the line and the word that it does not understand. */
  parse(script: string): Rule<Conduct, Action>[]
}

/** `counted` is the unit that rules can wait for, such as `submits`. `mark` is a word that may stand before each rule. */
export function createGrammar<Conduct, Action>(
  table: RuleTable<Conduct, Action>,
  { counted, mark }: { counted: string; mark?: string }
): Grammar<Conduct, Action> {
  const patterns = table.map(([pattern, rule]) => ({ words: pattern.split(' '), rule }))

  function parseRule(line: Line, start: number): Rule<Conduct, Action> {
    const first = wordAt(line, start)
    if (first !== 'after' && first !== 'every') return parseBareRule(line, start)
    const isRepeated = first === 'every'
    const amount = wordAt(line, start + 1)
    const ms = readDuration(amount)
    // A repeated rule with a wait of zero would block everything else.
    if (ms) return { kind: 'later', isRepeated, wait: { ms }, rule: parseRule(line, start + 2) }
    const count = readCount(amount)
    if (!count) throw misunderstood(line, start + 1, [describe('<count>'), describe('<duration>')])
    if (wordAt(line, start + 2) !== counted) throw misunderstood(line, start + 2, [counted])
    return { kind: 'later', isRepeated, wait: { count }, rule: parseRule(line, start + 3) }
  }

  /** Finds the pattern that fits. Without one, the error names the first word that no pattern fits. */
  function parseBareRule(line: Line, start: number): Rule<Conduct, Action> {
    let furthest = 0
    let expected: string[] = []
    for (const { words, rule } of patterns) {
      const { fits, values } = fit(line, start, words)
      const isWhole = fits === words.length
      if (isWhole && (start + fits === line.words.length || isRest(words.at(-1)))) return rule(values)
      if (fits > furthest) expected = []
      furthest = Math.max(furthest, fits)
      if (fits === furthest) expected.push(isWhole ? 'the end of the line' : describe(words[fits] ?? ''))
    }
    throw misunderstood(line, start + furthest, expected)
  }

  return {
    patterns: table.map(([pattern]) => pattern),
    parse(script) {
      const rules: Rule<Conduct, Action>[] = []
      for (const [index, line] of script.split('\n').entries()) {
        const words = line.replace(/#.*/, '').split(/\s+/).filter(Boolean)
        const isMarked = mark !== undefined && words[0]?.toLowerCase() === mark
        if (words.length > 0) rules.push(parseRule({ line: index + 1, words }, isMarked ? 1 : 0))
      }
      return rules
    }
  }
}

interface Line {
  line: number
  words: string[]
}

/** The number of leading words of the pattern that the line matches, and their values. */
function fit(line: Line, start: number, pattern: string[]): { fits: number; values: Values } {
  let values: Values = NO_VALUES
  for (const [index, expected] of pattern.entries()) {
    if (!expected.startsWith('<')) {
      if (wordAt(line, start + index) !== expected) return { fits: index, values }
      continue
    }
    const value = readSlot(expected, line.words.slice(start + index))
    if (!value) return { fits: index, values }
    values = { ...values, ...value }
  }
  return { fits: pattern.length, values }
}

function wordAt({ words }: Line, index: number): string {
  return words[index]?.toLowerCase() ?? ''
}

function misunderstood({ line, words }: Line, index: number, expected: string[]): Error {
  const found = words[index] === undefined ? 'the line ends' : `"${words[index]}" is not understood`
  return new Error(`Line ${line}, word ${index + 1}: ${found}; expected ${[...new Set(expected)].join(', or ')}.`)
}
