import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { typeset, typesetWords, withFirst } from '../../console/src/lib/french/typography.ts'
import { inFrench } from '../../console/src/lib/french-sentences.ts'

test('a sign of a French text stays on the line of its word', () => {
  for (const [given, wanted] of [
    ['Annuler ? Oui ! Non ; si', 'Annuler\u202f? Oui\u202f! Non\u202f; si'],
    ['Limite « Mars » : 3 sur 4', 'Limite «\u00a0Mars\u00a0»\u00a0: 3 sur 4'],
    [' : ', '\u00a0: '],
    ['De 08:00 à 20:00, sur https://a.example/?a=b;c', 'De 08:00 à 20:00, sur https://a.example/?a=b;c'],
    ['Déjà\u202f? Oui\u00a0: oui', 'Déjà\u202f? Oui\u00a0: oui']
  ] as const) {
    assert.equal(typeset(given), wanted)
  }
})

test('words of a feature are set at every depth, and so is what its functions give', () => {
  const element = { $$typeof: Symbol.for('react.element'), text: 'Ah !' }
  const words = typesetWords({
    title: 'Qui ?',
    states: { late: 'Tard !' },
    list: ['Où ?'],
    about: (name: string) => `« ${name} »`,
    ways: (count: number) => ({ told: `Voies : ${count}` }),
    element,
    none: undefined
  })
  assert.deepEqual(
    [words.title, words.states.late, words.list[0], words.about('Mars'), words.ways(2).told],
    ['Qui\u202f?', 'Tard\u202f!', 'Où\u202f?', '«\u00a0Mars\u00a0»', 'Voies\u00a0: 2']
  )
  assert.deepEqual([words.element, words.none], [element, undefined])
})

test('sentences of the service are set in French too', () => {
  assert.equal(inFrench('line 3: no number'), 'ligne 3\u00a0: pas de numéro')
})

test('the first day of a month is written as French writes it', () => {
  const dateOf = (day: number, language: string) =>
    withFirst(
      new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' }).format(
        Date.UTC(2026, 10, day, 1, 11)
      ),
      language
    )
  assert.match(dateOf(1, 'fr'), /^dimanche 1er novembre 2026/)
  assert.match(dateOf(11, 'fr'), /^mercredi 11 novembre 2026/)
  assert.match(dateOf(21, 'fr'), /^samedi 21 novembre 2026/)
  assert.match(dateOf(1, 'en'), /November 1, 2026/)
})
