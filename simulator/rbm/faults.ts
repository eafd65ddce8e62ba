import { createGrammar, type Rule, type RuleTable } from '../faults/grammar.ts'
import { NONE } from '../faults/some.ts'
import { GOOD_RBM_CONDUCT, type PhoneFacts, type RbmConduct } from './conduct.ts'

/* The table of all fault rules of the RBM platform. faults/grammar.ts explains their grammar. */

export type RbmRule = Rule<RbmConduct, RbmAction>

export type RbmAction = 'reset' | 'forget tokens'

const set = (change: Partial<RbmConduct>): RbmRule => ({ kind: 'set', change })
const link = (action: RbmAction): RbmRule => ({ kind: 'link', action })
const all = (http: number) => ({ every: 1, times: Infinity, http })
const none = { ...NONE, http: 0 }

function know(phone: string, facts: PhoneFacts): RbmRule {
  return {
    kind: 'set',
    change: ({ phones }) => ({ phones: new Map(phones).set(phone, { ...phones.get(phone), ...facts }) })
  }
}

const RULES: RuleTable<RbmConduct, RbmAction> = [
  ['behave', () => ({ kind: 'behave' })],

  ['reset', () => link('reset')],

  ['refuse tokens', () => set({ refusedTokens: all(503) })],
  ['refuse tokens with <http>', ({ http }) => set({ refusedTokens: all(http) })],
  [
    'refuse next <count> tokens with <http>',
    ({ count, http }) => set({ refusedTokens: { every: 1, times: count, http } })
  ],
  ['accept tokens', () => set({ refusedTokens: none })],
  ['tokens last <count> calls', ({ count }) => set({ tokenCalls: count })],
  ['tokens last <duration>', ({ duration }) => set({ tokenMs: duration })],
  ['tokens last', () => set({ tokenCalls: GOOD_RBM_CONDUCT.tokenCalls, tokenMs: GOOD_RBM_CONDUCT.tokenMs })],
  ['forget tokens', () => link('forget tokens')],

  ['limit messages <rate>', ({ rate }) => set({ messagesPerSecondMax: rate })],
  ['limit messages never', () => set({ messagesPerSecondMax: 0 })],
  ['retry after <duration>', ({ duration }) => set({ retryAfterSeconds: Math.ceil(duration / 1_000) })],
  ['retry after nothing', () => set({ retryAfterSeconds: 0 })],
  [
    'refuse every <nth> message with <http>',
    ({ nth, http }) => set({ refusedMessages: { every: nth, times: Infinity, http } })
  ],
  [
    'refuse next <count> messages with <http>',
    ({ count, http }) => set({ refusedMessages: { every: 1, times: count, http } })
  ],
  ['refuse messages with <http>', ({ http }) => set({ refusedMessages: all(http) })],
  ['accept messages', () => set({ refusedMessages: none, messagesPerSecondMax: 0 })],
  ['repeats answer <http>', ({ http }) => set({ repeatHttp: http })],

  ['delay answers <duration>', ({ duration }) => set({ answerDelayMs: duration })],
  ['hold answers', () => set({ areAnswersHeld: true })],
  ['release answers', () => set({ areAnswersHeld: false })],
  ['cut answers', () => set({ cutAnswers: { every: 1, times: Infinity } })],
  ['cut every <nth> answer', ({ nth }) => set({ cutAnswers: { every: nth, times: Infinity } })],
  ['cut next <count> answers', ({ count }) => set({ cutAnswers: { every: 1, times: count } })],
  ['keep answers', () => set({ cutAnswers: NONE })],

  ['refuse checks with <http>', ({ http }) => set({ refusedChecks: all(http) })],
  [
    'refuse every <nth> check with <http>',
    ({ nth, http }) => set({ refusedChecks: { every: nth, times: Infinity, http } })
  ],
  [
    'refuse next <count> checks with <http>',
    ({ count, http }) => set({ refusedChecks: { every: 1, times: count, http } })
  ],
  ['accept checks', () => set({ refusedChecks: none, batchesPerSecondMax: 0 })],
  ['limit batches <rate>', ({ rate }) => set({ batchesPerSecondMax: rate })],
  ['limit batches never', () => set({ batchesPerSecondMax: 0 })],
  ['one region', () => set({ isOneRegionOnly: true })],
  ['all regions', () => set({ isOneRegionOnly: false })],

  ['phone <phone> has rcs', ({ phone }) => know(phone, { hasRcs: true })],
  ['phone <phone> has no rcs', ({ phone }) => know(phone, { hasRcs: false })],
  ['phone <phone> is online', ({ phone }) => know(phone, { isOnline: true })],
  ['phone <phone> is offline', ({ phone }) => know(phone, { isOnline: false })],
  ['phones as numbered', () => set({ phones: new Map() })],

  ['revokes answer <http>', ({ http }) => set({ revokeHttp: http })],
  ['revokes in vain', () => set({ areRevokesInVain: true })],
  ['revokes tell the truth', () => set({ revokeHttp: 0, areRevokesInVain: false })],
  ['expiries fail', () => set({ expiry: 'failed' })],
  ['expiries say nothing', () => set({ expiry: 'silent' })],
  ['expiries revoke', () => set({ expiry: 'revoked' })],
  ['reports say <reports>', ({ reports }) => set({ reports })],
  ['reports tell the truth', () => set({ reports: [] })],

  ['events before answers', () => set({ areEventsBeforeAnswers: true })],
  ['events after answers', () => set({ areEventsBeforeAnswers: false })],
  ['delay events <duration>', ({ duration }) => set({ eventDelayMs: duration })],
  ['hold events', () => set({ areEventsHeld: true })],
  ['release events', () => set({ areEventsHeld: false })],
  ['reorder events <count>', ({ count }) => set({ eventsReordered: count })],
  ['drop events', () => set({ droppedEvents: { every: 1, times: Infinity } })],
  ['drop every <nth> event', ({ nth }) => set({ droppedEvents: { every: nth, times: Infinity } })],
  ['drop next <count> events', ({ count }) => set({ droppedEvents: { every: 1, times: count } })],
  ['keep events', () => set({ droppedEvents: NONE })],
  ['events twice', () => set({ eventCopies: 2 })],
  ['events once', () => set({ eventCopies: 1 })],
  ['forge events', () => set({ areEventsForged: true })],
  ['sign events', () => set({ areEventsForged: false })]
]

/** Marks the rules of this platform in a script for both carriers. */
export const RBM_MARK = 'rcs'

const GRAMMAR = createGrammar(RULES, { counted: 'messages', mark: RBM_MARK })

/** All rules, for the help text. */
export const RBM_RULE_PATTERNS = GRAMMAR.patterns

/** Throws an error that names the line and the word that it does not understand. */
export const parseRbmFaults = GRAMMAR.parse
