import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { weeksOf } from '../../console/src/features/messages/month.ts'
import { dateTokensOf, firstDayOf, localeFor } from '../../console/src/lib/locale-dates.ts'

test('dates in fields, and the first day of a week, are those of the locale', () => {
  for (const [locale, moment, shortDay, hours, firstDay] of [
    ['en-US', 'MM/DD/YYYY hh:mm A', 'MM/DD/YY', '12h', 0],
    ['en-GB', 'DD/MM/YYYY HH:mm', 'DD/MM/YY', '24h', 1],
    ['en-IN', 'DD/MM/YYYY hh:mm A', 'DD/MM/YY', '12h', 0],
    ['fr-FR', 'DD/MM/YYYY HH:mm', 'DD/MM/YY', '24h', 1],
    ['fr-CA', 'YYYY-MM-DD HH[ h ]mm', 'YY-MM-DD', '24h', 0]
  ] as const) {
    const tokens = dateTokensOf(locale)
    assert.deepEqual([tokens.moment, tokens.shortDay, tokens.hours], [moment, shortDay, hours], locale)
    assert.equal(firstDayOf(locale), firstDay, locale)
  }
})

test('the locale is the browser’s for the language on the screen, or else its region', () => {
  for (const [language, tags, locale] of [
    ['en', ['en-GB', 'en-US'], 'en-GB'],
    ['en', ['fr-FR', 'en-US'], 'en-US'],
    ['fr', ['en-US', 'fr'], 'fr'],
    ['en', ['de-DE', 'de'], 'en-DE'],
    ['fr', ['en'], 'fr-US'],
    ['en', [], 'en']
  ] as const) {
    assert.equal(localeFor(language, tags), locale, `${language} in ${tags.join(', ')}`)
  }
})

test('the weeks of a month begin on the first day of the locale and hold the whole month', () => {
  // November 2026 begins on a Sunday.
  assert.deepEqual(
    weeksOf('2026-11', 0).map((week) => week[0]),
    ['2026-11-01', '2026-11-08', '2026-11-15', '2026-11-22', '2026-11-29']
  )
  assert.deepEqual(
    weeksOf('2026-11', 1).map((week) => week[0]),
    ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23', '2026-11-30']
  )
  for (const firstDay of [0, 1, 6]) assert.ok(weeksOf('2026-02', firstDay).flat().includes('2026-02-28'))
})
