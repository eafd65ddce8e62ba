import { STATUSES } from '../../src/smpp/commands.ts'
import { createGrammar, type RuleTable, type Rule as WrittenRule } from '../faults/grammar.ts'
import { NONE } from '../faults/some.ts'
import { type Conduct, GOOD_CONDUCT } from './conduct.ts'

/* The table of all fault rules of the SMPP carrier. faults/grammar.ts explains their grammar. */

export type Rule = WrittenRule<Conduct, LinkAction>

export type LinkAction = 'reset' | 'close' | 'unbind' | 'enquire' | 'garble'

/** A final refusal, so that the client does not try again. */
const REFUSED = STATUSES.ESME_RINVDSTADR

const set = (change: Partial<Conduct>): Rule => ({ kind: 'set', change })
const link = (action: LinkAction): Rule => ({ kind: 'link', action })

const RULES: RuleTable<Conduct, LinkAction> = [
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

  ['throttle <rate>', ({ rate }) => set({ submitsPerSecondMax: rate, isRateByTheSecond: false })],
  ['throttle <rate> by the second', ({ rate }) => set({ submitsPerSecondMax: rate, isRateByTheSecond: true })],
  ['throttle <percent> at random', ({ percent }) => set({ throttledShare: percent / 100 })],
  ['throttle never', () => set({ submitsPerSecondMax: 0, throttledShare: 0 })],
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
      set({
        refusedSubmits: { ...NONE, status: 0 },
        refusedPart: { position: 0, status: 0 },
        submitsPerSecondMax: 0,
        throttledShare: 0
      })
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

const GRAMMAR = createGrammar(RULES, { counted: 'submits' })

/** All rules, for the help text. */
export const RULE_PATTERNS = GRAMMAR.patterns

/** Throws an error that names the line and the word that it does not understand. */
export const parseFaults = GRAMMAR.parse
