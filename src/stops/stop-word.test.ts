import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { ANY_CHARACTER } from '../../test/checks/any-character.ts'
import { isReservedWord, isStartWord, isStopWord, isYes, keywordOf } from './stop-word.ts'

test('a reply that begins with STOP, ARRET or UNSUBSCRIBE opts out, however it is written', () => {
  const stops = [
    'STOP',
    'stop',
    'Stop',
    'sToP',
    ' STOP ',
    '\nstop\n',
    'STOP.',
    'Stop!',
    'STOP !!!',
    'stop, merci',
    'stop merci de ne plus m’écrire',
    'STOP SMS',
    'stop sms',
    'stop-sms',
    'STOP36111',
    'STOP 36111',
    '"STOP"',
    '« Stop »',
    '“stop”',
    '‘stop’',
    "'stop'",
    '(stop)',
    '*STOP*',
    '...stop',
    '🛑 STOP',
    '🛑STOP🛑',
    'STOP🙏',
    'stop 😀',
    'S.T.O.P',
    'S-T-O-P.',
    'ＳＴＯＰ',
    '𝐒𝐓𝐎𝐏',
    'Ｓtop',
    'stóp',
    'ŠTOP',
    '\u200bSTOP',
    '\ufeffSTOP',
    'ST\u00adOP',
    'STOP\u00a0SMS',
    'arret',
    'Arrêt',
    'ARRÊT',
    'arre\u0302t',
    'ARRÊT SVP',
    'unsubscribe',
    'UNSUBSCRIBE me'
  ]
  for (const text of stops) assert.equal(isStopWord(text), true, JSON.stringify(text))
})

test('a reply that only contains the word, or a longer one, does not opt out', () => {
  const others = [
    '',
    ' ',
    '!',
    '🛑',
    'stoppez',
    'Stopper',
    'stops',
    'non stop',
    'non-stop',
    'nonstop',
    'Ne stop pas',
    'OK STOP',
    'je ne veux pas que vous stoppiez',
    'Arrêtez',
    'arrêter',
    'arrêts de bus',
    'unsubscribed',
    'UN SUBSCRIBE',
    'S T O P',
    '1 STOP',
    'post',
    'OK',
    '36111',
    'Merci'
  ]
  for (const text of others) assert.equal(isStopWord(text), false, JSON.stringify(text))
})

test('no text makes it throw, and what follows the word changes nothing', () => {
  fc.assert(fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => typeof isStopWord(text) === 'boolean'))
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => isStopWord(`Stop ${text}`)))
})

test('START and UNSTOP as the first word undo a STOP; YES and OUI confirm; a keyword is the first word, bare', () => {
  for (const text of ['START', 'start', ' Start. ', 'Unstop!', 'START merci', 'ＳＴＡＲＴ'])
    assert.ok(isStartWord(text), text)
  for (const text of ['STARTUP', 'restart', 'START2', 'je dis START', '', 'non-start'])
    assert.ok(!isStartWord(text), text)
  for (const text of ['OUI', 'oui.', 'Yes', 'OUI merci', ' “Oui” ']) assert.ok(isYes(text), text)
  for (const text of ['ouistiti', 'non', '', 'yesterday']) assert.ok(!isYes(text), text)
  assert.equal(keywordOf('  «\u00a0Jóin\u00a0» svp'), '')
  assert.equal(keywordOf('Jóin! svp'), 'JOIN')
  for (const word of ['STOP', 'arret', 'Start', 'OUI']) assert.ok(isReservedWord(word), word)
  assert.ok(!isReservedWord('PROMO'))
})
