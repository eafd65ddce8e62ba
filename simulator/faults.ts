import { STATUSES } from '../src/carriers/smpp/commands.ts'
import { type Conduct, GOOD_CONDUCT, NONE } from './conduct.ts'
import { describe, NO_VALUES, readCount, readDuration, readSlot, type Values } from './fault-values.ts'

/*
 * The language of faults: one rule per line, in words; `#` begins a comment. The table below is the whole grammar. In front
 * of a rule may stand when it applies: `after 100 submits …`, `every 100 submits …`, `after 5s …` or `every 5s …`; without,
 * it applies at once. A rule lasts until another of its kind replaces it, or `behave`.
 */

export type Rule =
  | { kind: 'set'; change: Partial<Conduct> }
  /** To the link that brought the submit which made the rule apply, or to all links when it was none. */
  | { kind: 'link'; action: LinkAction }
  | { kind: 'later'; isRepeated: boolean; wait: { submits: number } | { ms: number }; rule: Rule }
  | { kind: 'behave' }

export type LinkAction = 'reset' | 'close' | 'unbind' | 'enquire' | 'garble'

/** Refused for good, so that nobody tries again. */
const REFUSED = STATUSES.ESME_RINVDSTADR

const set = (change: Partial<Conduct>): Rule => ({ kind: 'set', change })
const link = (action: LinkAction): Rule => ({ kind: 'link', action })

const RULES: readonly [pattern: string, rule: (values: Values) => Rule][] = [
  ['behave', () => ({ kind: 'behave' })],

  ['reset', () => link('reset')],
  ['close', () => link('close')],
  ['unbind', () => link('unbind')],
  ['enquire', () => link('enquire')],
  ['garble', () => link('garble')],
  ['go silent', () => set({ isSilent: true })],
  ['speak again', () => set({ isSilent: false })],

  ['refuse binds', () => set({ refusedBinds: { every: 1, times: Infinity, status: STATUSES.ESME_RBINDFAIL } })],
  ['refuse binds with <status>', ({ status }) => set({ refusedBinds: { every: 1, times: Infinity, status } })],
  [
    'refuse binds <count> times',
    ({ count }) => set({ refusedBinds: { every: 1, times: count, status: STATUSES.ESME_RBINDFAIL } })
  ],
  [
    'refuse binds <count> times with <status>',
    ({ count, status }) => set({ refusedBinds: { every: 1, times: count, status } })
  ],
  ['accept binds', () => set({ refusedBinds: { ...NONE, status: 0 } })],
  ['one session', () => set({ isOneSessionOnly: true })],
  ['many sessions', () => set({ isOneSessionOnly: false, ghostMs: 0 })],
  ['ghost session <duration>', ({ duration }) => set({ isOneSessionOnly: true, ghostMs: duration })],

  ['throttle <rate>', ({ rate }) => set({ submitsPerSecondMax: rate })],
  ['throttle never', () => set({ submitsPerSecondMax: 0 })],
  ['refuse part <count>', ({ count }) => set({ refusedPart: { position: count, status: REFUSED } })],
  ['refuse part <count> with <status>', ({ count, status }) => set({ refusedPart: { position: count, status } })],
  [
    'refuse every <nth> submit with <status>',
    ({ nth, status }) => set({ refusedSubmits: { every: nth, times: Infinity, status } })
  ],
  [
    'refuse next <count> submits with <status>',
    ({ count, status }) => set({ refusedSubmits: { every: 1, times: count, status } })
  ],
  ['refuse submits with <status>', ({ status }) => set({ refusedSubmits: { every: 1, times: Infinity, status } })],
  [
    'accept submits',
    () =>
      set({ refusedSubmits: { ...NONE, status: 0 }, refusedPart: { position: 0, status: 0 }, submitsPerSecondMax: 0 })
  ],

  ['delay answers <duration>', ({ duration }) => set({ answerDelayMs: duration })],
  ['hold answers', () => set({ areAnswersHeld: true })],
  ['release answers', () => set({ areAnswersHeld: false })],
  ['reorder answers <count>', ({ count }) => set({ answersReordered: count })],
  ['drop answers', () => set({ droppedAnswers: { every: 1, times: Infinity } })],
  ['drop every <nth> answer', ({ nth }) => set({ droppedAnswers: { every: nth, times: Infinity } })],
  ['drop next <count> answers', ({ count }) => set({ droppedAnswers: { every: 1, times: count } })],
  ['keep answers', () => set({ droppedAnswers: NONE })],
  ['answers once', () => set({ answerCopies: 1 })],
  ['answers twice', () => set({ answerCopies: 2 })],

  ['ids <form>', ({ form }) => set({ idForm: form })],
  ['ids from <count>', ({ count }) => set({ nextId: count })],
  ['receipt ids <form>', ({ form }) => set({ receiptIdForm: form })],
  ['receipt ids same', () => set({ receiptIdForm: 'same' })],

  ['receipts before answers', () => set({ areReceiptsBeforeAnswers: true })],
  ['receipts after answers', () => set({ areReceiptsBeforeAnswers: false })],
  ['delay receipts <duration>', ({ duration }) => set({ receiptDelayMs: duration })],
  ['hold receipts', () => set({ areReceiptsHeld: true })],
  ['release receipts', () => set({ areReceiptsHeld: false })],
  ['drop receipts', () => set({ droppedReceipts: { every: 1, times: Infinity } })],
  ['drop every <nth> receipt', ({ nth }) => set({ droppedReceipts: { every: nth, times: Infinity } })],
  ['drop next <count> receipts', ({ count }) => set({ droppedReceipts: { every: 1, times: count } })],
  ['keep receipts', () => set({ droppedReceipts: NONE })],
  ['receipts once', () => set({ receiptCopies: 1 })],
  ['receipts twice', () => set({ receiptCopies: 2 })],
  ['receipts on another bind', () => set({ areReceiptsOnAnotherBind: true })],
  ['receipts on any bind', () => set({ areReceiptsOnAnotherBind: false })],
  ['receipts as text', () => set({ receiptContent: 'text' })],
  ['receipts as tlvs', () => set({ receiptContent: 'tlvs' })],
  ['receipts as both', () => set({ receiptContent: 'both' })],
  ['receipts say <words>', ({ words }) => set({ receiptWords: words })],
  ['receipts tell the truth', () => set({ receiptWords: [] })],

  ['alphabet gsm', () => set({ alphabet: 'gsm' })],
  ['alphabet latin1', () => set({ alphabet: 'latin1' })],
  ['split replies <split>', ({ split }) => set({ replySplit: split })],
  ['reply parts backwards', () => set({ areReplyPartsReversed: true })],
  ['reply parts twice', () => set({ replyPartCopies: 2 })],
  ['drop reply part <count>', ({ count }) => set({ droppedReplyPart: count })],
  [
    'reply parts whole',
    () => {
      const { areReplyPartsReversed, replyPartCopies, droppedReplyPart } = GOOD_CONDUCT
      return set({ areReplyPartsReversed, replyPartCopies, droppedReplyPart })
    }
  ]
]

/** Every rule there is, for people. */
export const RULE_PATTERNS: readonly string[] = RULES.map(([pattern]) => pattern)

const PATTERNS = RULES.map(([pattern, rule]) => ({ words: pattern.split(' '), rule }))

/** Throws, saying which word of which line it does not understand. */
export function parseFaults(script: string): Rule[] {
  const rules: Rule[] = []
  for (const [index, line] of script.split('\n').entries()) {
    const words = line.replace(/#.*/, '').split(/\s+/).filter(Boolean)
    if (words.length > 0) rules.push(parseRule({ line: index + 1, words }, 0))
  }
  return rules
}

interface Line {
  line: number
  words: string[]
}

function parseRule(line: Line, start: number): Rule {
  const first = wordAt(line, start)
  if (first !== 'after' && first !== 'every') return parseBareRule(line, start)
  const isRepeated = first === 'every'
  const amount = wordAt(line, start + 1)
  const ms = readDuration(amount)
  // A repeated rule without a wait would never let anything else happen.
  if (ms) return { kind: 'later', isRepeated, wait: { ms }, rule: parseRule(line, start + 2) }
  const submits = readCount(amount)
  if (!submits) throw misunderstood(line, start + 1, [describe('<count>'), describe('<duration>')])
  if (wordAt(line, start + 2) !== 'submits') throw misunderstood(line, start + 2, ['submits'])
  return { kind: 'later', isRepeated, wait: { submits }, rule: parseRule(line, start + 3) }
}

/** Of all patterns, the one that fits; else the error is at the word up to which any of them fits. */
function parseBareRule(line: Line, start: number): Rule {
  let furthest = 0
  let expected: string[] = []
  for (const { words, rule } of PATTERNS) {
    const { fits, values } = fit(line, start, words)
    const isWhole = fits === words.length
    if (isWhole && (start + fits === line.words.length || words.at(-1) === '<words>')) return rule(values)
    if (fits > furthest) expected = []
    furthest = Math.max(furthest, fits)
    if (fits === furthest) expected.push(isWhole ? 'the end of the line' : describe(words[fits] ?? ''))
  }
  throw misunderstood(line, start + furthest, expected)
}

/** How many words of the pattern the line has, one after the other, and the values among them. */
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
