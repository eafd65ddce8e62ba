import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { STEP_NAMES } from '../../console/src/features/messages/step-names.ts'
import { classOfError } from '../../console/src/features/results/error-classes.ts'
import { inFrench, problemInFrench } from '../../console/src/lib/french-sentences.ts'
import { refusalClass } from '../../src/carriers/refusal-class.ts'
import { checkCountrySender } from '../../src/compliance/country-rules.ts'
import { checkSender } from '../../src/compliance/sender.ts'
import { insufficientCredits, invalidInput } from '../../src/errors.ts'
import { RCS_STEPS, STEPS } from '../../src/recipients/step-names.ts'
import { STATUSES } from '../../src/smpp/commands.ts'
import { privateFailure, sentenceOf, timeOutFailure } from '../../src/webhooks/post-failure.ts'
import { readTarget } from '../../src/webhooks/target.ts'
import { findSentences } from '../checks/service-sentences.ts'

/** Sources whose sentences nobody meets in the console, or whose parts are checked as whole sentences below. */
const OTHER_SOURCES: readonly [RegExp, string][] = [
  [/metrics\.ts|message-times\.ts|src\/traces\//, 'help of metrics'],
  [/src\/(?:config|main|cleaning|distribute)\.ts|src\/(?:database|backup|closing|imports)\//, 'for a terminal'],
  [/http\/(?:openapi|described-refusals|permission|health|console)\.ts/, 'the API document, and what is not the API'],
  [/http\/(?:form|json-limits|waits)\.ts/, 'the form of requests, and streams: for programs'],
  [/src\/doors\/|src\/smpp\/|smpp-server\/read-submit|http\/receive-news|rbm\/receive-event/, 'for programs'],
  [/sends\/confirmation\.ts/, 'of keys that confirm their sends: for programs'],
  [/src\/mail\/|statement-pdf|link-pages/, 'written in both languages there'],
  [/src\/carriers\/(?:.*read-|carriers-file|check-settings|json-places|mistakes|named-files|sms-settings)/, 'a file'],
  [/compliance\/countries\.ts/, 'french-rules.ts of the console, checked in senders.test.ts'],
  [/carriers\/explain-route\.ts|trials\/verdict\.ts|sends\/send-answer\.ts/, 'the console tells the same by codes'],
  [
    /carriers\/exchange\.ts|webhooks\/post-failure\.ts|trials\/choose-variant\.ts|sends\/replace\.ts/,
    'parts: see below'
  ]
]

/** Sentences that nobody meets in the console. */
const OTHER_SENTENCES: readonly [RegExp, string][] = [
  [/^The number was erased|^Nothing was held about/, 'an answer, not a refusal'],
  [
    /`|^(?:CSV|JPEG|PDF)\b|^[A-Z][a-z]+ (?:name|address|code)\.$|^(?:A date, as text|How |What the phone)/,
    'the API document'
  ],
  [
    /^A rule of a segment names|^The account is closed, it is|^Only a person who has|^The person is the only/,
    'the API document'
  ],
  [/^Messages that are accepted from now on/, 'the API document'],
  [/^(?:Bonjour|Joyeux|J’accepte|La Boutique|Merci)|invoice of October|^Letter of|^Our registered/, 'an example'],
  [/\b(?:body|multipart\/form-data|HTTP request|headers|part without a name)\b|takes no file/, 'the form of a request'],
  [/^is not null$|^has spent$/, 'SQL, or a part of a sentence below'],
  [/^must be 7(?: in 7)?, such as|^must not be 7 for a|7 7\.$|segments7|, which 7$/, 'parts: see below'],
  [/^This takes 7|^is 7, and the message takes 7$/, 'parts: see below'],
  [/^The (?:URL|platform|provider|server of tokens) 7\.$/, 'parts: see below']
]

test('every sentence of the service has a French form', async () => {
  const found = await findSentences()
  assert.ok(found.length > 500, `${found.length} sentences`)
  const missing = found.filter(
    ({ sentence, place }) =>
      !OTHER_SOURCES.some(([pattern]) => pattern.test(place)) &&
      !OTHER_SENTENCES.some(([pattern]) => pattern.test(sentence)) &&
      !isFrench(sentence)
  )
  assert.deepEqual(
    missing.map(({ sentence, place }) => `${place} ${sentence} → ${inFrench(sentence) ?? ''}`),
    [],
    'add it to console/src/lib/french/'
  )
})

test('sentences that the service puts together have a French form', () => {
  const problems = [
    checkSender('0639980013', { country: 'FR', ourNumbers: new Set() }),
    checkSender('12345', { country: 'FR', ourNumbers: new Set() }),
    checkSender('A B', { country: 'FR', ourNumbers: new Set() }),
    checkSender('A+B', { country: 'DE', ourNumbers: new Set() }),
    checkCountrySender('SHOP', { country: 'US', category: 'marketing' }),
    checkCountrySender('SHOP', { country: 'IN', category: 'marketing' }),
    checkCountrySender('36111', { country: 'FR', category: 'transactional' }),
    checkCountrySender('38111', { country: 'FR', category: 'marketing' }),
    ...['ftp://a.example', 'no', 'https://user@a.example', 'http://localhost', 'https://a.example/\n'].map((url) => {
      const read = readTarget(url, { allowPrivate: false })
      return 'problem' in read ? read.problem : undefined
    })
  ].filter((problem) => problem !== undefined)
  assert.equal(problems.length, 13)
  const codes = ['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH']
  const tls = ['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'EPROTO']
  const posts = [...codes, ...tls, 'HPE_INVALID_CONSTANT', 'HPE_HEADER_OVERFLOW', 'EOTHER'].map((code) =>
    sentenceOf(Object.assign(new Error(), { code }), 'example.com')
  )
  const waited = [undefined, { connecting: true }, { connecting: false }].map(
    (socket) => timeOutFailure({ socket } as never, 10_000).message
  )
  const refusals = [
    ...problems.flatMap((problem) => [
      problem,
      `The URL ${problem}.`,
      `The sender SHOP ${problem}.`,
      `names a template whose sender ${problem}`,
      invalidInput([{ path: 'webhooks[0].url', message: problem }]).message
    ]),
    insufficientCredits({ required: 11, remaining: 4 }, 'SMS').message,
    'This takes 1 SMS credit now, and not 3; nothing was sent.',
    'is 3, and the message takes 2 RCS credits',
    'No number is left to send to: 1 invalid, 2 opted out, 3 without a price (DE, ES). The price list of this account has no price for these countries.',
    'has no number to send to: 1 invalid, 0 opted out, 2 in countries that this account may not write to; a valid one is +33639980013',
    'The segment “Paris” must be changed first: rules.all[0].list_id names contact list 7, which does not exist any more.',
    'has 9 segments for +33639980013, and 8 is the most',
    'must have at most 3 characters for +33639980013',
    'looks like BANK, which is reserved for another account',
    ...['has not begun', 'is decided already', 'was cancelled', 'could not begin', 'is testing'].map(
      (is) => `The trial ${is}.`
    ),
    ...['is leaving', 'is sent'].map((is) => `Only a scheduled message can be replaced; this one ${is}.`)
  ]
  const parts = [
    'has a name that was not found',
    'did not answer in time',
    'is no longer connected to',
    'failed (EPROTO)'
  ]
  const details = [
    ...['The platform', 'The provider', 'The server of tokens'].flatMap((peer) =>
      parts.map((part) => `${peer} ${part}.`)
    ),
    'DELIVRD err:000 (part 1 of 2)',
    'This phone can’t do RCS. There were too few SMS credits to fall back.',
    'No delivery report came in time. It could not be revoked (The platform answered 500.), and has expired by itself.',
    'A conversation covers it: 1 RCS credit came back.',
    'TTL_EXPIRATION_REVOKED: its time was over, and the platform took it back.',
    'Whoever was sending it stopped before an answer was stored.',
    'line 3: a quote is opened here and never closed'
  ]
  for (const sentence of [...posts, ...waited, privateFailure('example.com').message, ...refusals, ...details]) {
    assert.ok(isFrench(sentence), `${sentence} → ${inFrench(sentence)}`)
  }
  assert.equal(
    problemInFrench('webhooks[0].url', 'must not lead to a private address, as localhost does'),
    'La demande n’est pas valide\u00a0: l’URL ne doit pas mener à une adresse privée, comme localhost.'
  )
  assert.equal(
    inFrench(insufficientCredits({ required: 1, remaining: 0 }, 'RCS').message),
    'Il faut 1 crédit RCS\u202f; le solde est de 0.'
  )
  assert.equal(problemInFrench('content', 'must not be in Klingon'), undefined, 'no sentence is half in French')
})

test('reasons why rows of a file were left out have a French form', () => {
  const reasons = ['no number', 'not a phone number', 'repeated', 'champ_nom is longer than 1000 characters']
  const consents = [
    'no date',
    'not a date',
    'a date in the future',
    'too long a wording',
    'too long a proof',
    'too long a purpose'
  ]
  for (const reason of [...reasons, ...consents, 'not one of form, import']) assert.ok(isFrench(reason), reason)
})

const ENGLISH = /\b(?:the|must|is|of|which|this|not|has|are|it|be|was|and|for|with|receiver)\b/i

function isFrench(sentence: string): boolean {
  const french = inFrench(sentence)
  return french !== undefined && !ENGLISH.test(french) && !/\$\d|undefined/.test(french)
}

test('every step of a timeline has a name in both languages', () => {
  const steps = [...STEPS, ...RCS_STEPS].toSorted()
  for (const names of Object.values(STEP_NAMES)) assert.deepEqual(Object.keys(names).toSorted(), steps)
})

test('a status of SMPP is of the same class in the console and in the service', () => {
  for (const status of [...Object.keys(STATUSES), 'ESME_RUNKNOWNERR', 'ESME_OF_ONE_CARRIER']) {
    assert.equal(classOfError(status) ?? 'other', refusalClass(status), status)
  }
})
