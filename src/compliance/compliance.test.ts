import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import Holidays from 'date-holidays'
import fc from 'fast-check'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { type MarketingHours, nextAllowedMoment, nextMarketingMoment, placeOf } from './allowed-hours.ts'
import { COUNTRIES } from './countries.ts'
import { checkCountrySender, rulesOf } from './country-rules.ts'
import { type FrenchTerritory, frenchTerritoryOf } from './french-zones.ts'
import { type Calendar, isHoliday } from './holidays.ts'
import { DEFAULT_STOP_MENTION, hasOptOut } from './opt-out-mention.ts'
import { checkSender, toOurNumbers } from './sender.ts'

const paris = { timeZone: 'Europe/Paris', calendar: 'national' } as const
const alsace = { timeZone: 'Europe/Paris', calendar: 'alsace-moselle' } as const
const reunion = { timeZone: 'Indian/Reunion', calendar: 'reunion' } as const
const mayotte = { timeZone: 'Indian/Mayotte', calendar: 'mayotte' } as const
const guadeloupe = { timeZone: 'America/Guadeloupe', calendar: 'guadeloupe' } as const
const martinique = { timeZone: 'America/Martinique', calendar: 'martinique' } as const
const guyane = { timeZone: 'America/Cayenne', calendar: 'guyane' } as const
const saintBarthelemy = { timeZone: 'America/St_Barthelemy', calendar: 'saint-barthelemy' } as const
const saintMartin = { timeZone: 'America/Marigot', calendar: 'saint-martin' } as const
const miquelon = { timeZone: 'America/Miquelon', calendar: 'national' } as const
const noumea = { timeZone: 'Pacific/Noumea', calendar: 'nouvelle-caledonie' } as const
const tahiti = { timeZone: 'Pacific/Tahiti', calendar: 'polynesie' } as const
const wallis = { timeZone: 'Pacific/Wallis', calendar: 'wallis-et-futuna' } as const

test('a number has the clock and the holidays of its territory', () => {
  const cases: [text: string, expected: FrenchTerritory | undefined][] = [
    ['+33612345678', paris],
    ['0745678901', paris],
    ['+33639980001', paris],
    ['+262692123456', reunion],
    ['0692123456', reunion],
    ['+262639691234', mayotte],
    ['+590690221234', guadeloupe],
    ['+596696201234', martinique],
    ['+594694201234', guyane],
    ['+508551234', miquelon],
    ['+687751234', noumea],
    ['+68987123456', tahiti],
    ['+681821234', wallis],
    ['+32470123456', undefined],
    ['+37744123456', undefined],
    ['+12025550123', undefined]
  ]
  for (const [text, expected] of cases) {
    const number = parsePhoneNumber(text, 'FR')
    assert.ok(number, text)
    assert.deepEqual(frenchTerritoryOf(number, { calendar: 'national' }), expected, text)
  }
  assert.deepEqual(frenchTerritoryOf({ country: 'BL' }, { calendar: 'national' }), saintBarthelemy)
  assert.deepEqual(frenchTerritoryOf({ country: 'MF' }, { calendar: 'national' }), saintMartin)
  assert.equal(frenchTerritoryOf({ country: '' }, { calendar: 'national' }), undefined)
})

test('an account of Alsace-Moselle changes the holidays of metropolitan numbers, and of no others', () => {
  assert.deepEqual(frenchTerritoryOf({ country: 'FR' }, { calendar: 'alsace-moselle' }), alsace)
  assert.deepEqual(frenchTerritoryOf({ country: 'RE' }, { calendar: 'alsace-moselle' }), reunion)
  assert.equal(frenchTerritoryOf({ country: 'DE' }, { calendar: 'alsace-moselle' }), undefined)
})

test('recipients of the same territory share one object, so that they can be grouped by it', () => {
  for (const country of ['FR', 'GP', 'PM']) {
    const [one, other] = [1, 2].map(() => frenchTerritoryOf({ country }, { calendar: 'national' }))
    assert.equal(one, other)
  }
})

/** Our calendar, the country and state of the same at date-holidays, and the days on which we differ on purpose. */
const oracles: [calendar: Calendar, place: [country: string, state?: string], differing: Record<string, string>][] = [
  ['national', ['FR'], {}],
  ['national', ['PM'], {}],
  ['alsace-moselle', ['FR', '57'], {}],
  ['alsace-moselle', ['FR', '67'], {}],
  ['alsace-moselle', ['FR', '68'], {}],
  ['guadeloupe', ['GP'], { '07-21': 'It has Victor Schœlcher as optional: public offices are closed.' }],
  ['guadeloupe', ['FR', 'GP'], { '07-21': 'As above.' }],
  ['martinique', ['MQ'], { '07-21': 'As above.' }],
  ['martinique', ['FR', 'MQ'], { '07-21': 'As above.' }],
  ['guyane', ['GF'], {}],
  ['guyane', ['FR', 'GF'], {}],
  ['reunion', ['RE'], {}],
  ['reunion', ['FR', 'RE'], {}],
  ['mayotte', ['YT'], {}],
  ['mayotte', ['FR', 'YT'], {}],
  ['saint-barthelemy', ['BL'], {}],
  ['saint-barthelemy', ['FR', 'BL'], {}],
  [
    'saint-martin',
    ['MF'],
    { '05-28': 'It has the 27th of the code only; the prefecture has made it the 28th since 2018.' }
  ],
  ['saint-martin', ['FR', 'MF'], { '05-28': 'As above.' }],
  ['nouvelle-caledonie', ['NC'], {}],
  [
    'polynesie',
    ['PF'],
    {
      '2024-06-29': 'Autonomy day, replaced by 20 November before this service existed.',
      '2024-11-20': 'The other side of it: our rules are those of today.',
      '2025-06-29': 'It ends autonomy day with 2025; the law did in May. It was a Sunday in any case.',
      '2025-11-20': 'It begins Matari’i with 2026; the first was celebrated in 2025.'
    }
  ],
  ['wallis-et-futuna', ['WF'], {}]
]

test('the holidays from 2024 to 2030 are those of a foreign calendar', () => {
  for (const [calendar, [country, state], differing] of oracles) {
    const oracle = state ? new Holidays(country, state) : new Holidays(country)
    const differed = new Set<string>()
    for (let year = 2024; year <= 2030; year++) {
      const holidays = oracle.getHolidays(year).filter(({ type }) => type === 'public')
      const expected = new Set(holidays.map(({ date }) => date.slice(0, 10)))
      assert.ok(expected.size >= 11, `${calendar} ${year}`)
      for (const date of daysOf(year)) {
        const text = date.toString()
        if (isHoliday(date, calendar) === expected.has(text)) continue
        const excuse = text in differing ? text : text.slice(5)
        assert.ok(excuse in differing, `${country} ${state ?? ''} ${text}: ours ${isHoliday(date, calendar)}`)
        differed.add(excuse)
      }
    }
    assert.deepEqual([...differed].sort(), Object.keys(differing).sort(), `excuses without a difference: ${calendar}`)
  }
})

function daysOf(year: number): Temporal.PlainDate[] {
  const first = new Temporal.PlainDate(year, 1, 1)
  return Array.from({ length: first.daysInYear }, (_, days) => first.add({ days }))
}

test('Easter is right at its extremes', () => {
  const mondays = ['1818-03-23', '1943-04-26', '2008-03-24', '2026-04-06', '2038-04-26', '2285-03-23']
  for (const text of mondays) {
    const monday = Temporal.PlainDate.from(text)
    assert.ok(isHoliday(monday, 'national'), text)
    assert.ok(!isHoliday(monday.subtract({ days: 7 }), 'national'), `a week before ${text}`)
    assert.ok(!isHoliday(monday.subtract({ days: 3 }), 'national'), `Good Friday before ${text}`)
    assert.ok(isHoliday(monday.subtract({ days: 3 }), 'alsace-moselle'), `Good Friday before ${text}`)
  }
})

test('marketing leaves at the first allowed moment, by the clock and calendar of the recipient', () => {
  // Moments with their offset, as written in the recipient's place; without `then`, the moment itself is allowed.
  const cases: [why: string, hours: Parameters<typeof nextAllowedMoment>[1], at: string, then?: string][] = [
    ['a working morning', paris, '2026-03-03T10:30:00+01:00'],
    ['the first moment', paris, '2026-03-03T08:00:00+01:00'],
    ['just before the first', paris, '2026-03-03T07:59:59.999+01:00', '2026-03-03T08:00:00+01:00'],
    ['a minute before', paris, '2026-03-03T07:59:00+01:00', '2026-03-03T08:00:00+01:00'],
    ['midnight', paris, '2026-03-03T00:00:00+01:00', '2026-03-03T08:00:00+01:00'],
    ['the last moment', paris, '2026-03-03T19:59:59.999+01:00'],
    ['the end', paris, '2026-03-03T20:00:00+01:00', '2026-03-04T08:00:00+01:00'],
    ['a Saturday', paris, '2026-03-07T19:00:00+01:00'],
    ['a Saturday night', paris, '2026-03-07T20:30:00+01:00', '2026-03-09T08:00:00+01:00'],
    ['a Sunday', paris, '2026-03-08T12:00:00+01:00', '2026-03-09T08:00:00+01:00'],
    ['in the end of another account', { ...paris, hoursEnd: '21:30' }, '2026-03-03T21:29:59.999+01:00'],
    ['past that', { ...paris, hoursEnd: '21:30' }, '2026-03-03T21:30:00+01:00', '2026-03-04T08:00:00+01:00'],
    ['with seconds, as the database says it', { ...paris, hoursEnd: '21:30:00' }, '2026-03-03T21:00:00+01:00'],
    ['an earlier end', { ...paris, hoursEnd: '12:30:15' }, '2026-03-03T12:30:14.999+01:00'],
    ['past it', { ...paris, hoursEnd: '12:30:15' }, '2026-03-03T12:30:15+01:00', '2026-03-04T08:00:00+01:00'],
    ['the shortest day', { ...paris, hoursEnd: '08:01' }, '2026-03-03T08:00:59+01:00'],
    ['past it', { ...paris, hoursEnd: '08:01' }, '2026-03-03T08:01:00+01:00', '2026-03-04T08:00:00+01:00'],
    [
      'no stretched end opens a Sunday',
      { ...paris, hoursEnd: '21:30' },
      '2026-03-08T21:00:00+01:00',
      '2026-03-09T08:00:00+01:00'
    ],
    ['a Sunday that the account turned on', { ...paris, sundaysAndHolidays: true }, '2026-03-08T12:00:00+01:00'],
    ['a holiday that it turned on', { ...paris, sundaysAndHolidays: true }, '2026-12-25T08:00:00+01:00'],
    [
      'its night before a Sunday',
      { ...paris, sundaysAndHolidays: true },
      '2026-03-07T20:00:00+01:00',
      '2026-03-08T08:00:00+01:00'
    ],

    ['before the clocks go forward', paris, '2026-03-28T20:00:00+01:00', '2026-03-30T08:00:00+02:00'],
    ['just before they do', paris, '2026-03-29T01:59:59+01:00', '2026-03-30T08:00:00+02:00'],
    ['just after', paris, '2026-03-29T03:00:00+02:00', '2026-03-30T08:00:00+02:00'],
    ['before they go back', paris, '2026-10-24T21:00:00+02:00', '2026-10-26T08:00:00+01:00'],
    ['the hour that is there twice, first', paris, '2026-10-25T02:30:00+02:00', '2026-10-26T08:00:00+01:00'],
    ['and again', paris, '2026-10-25T02:30:00+01:00', '2026-10-26T08:00:00+01:00'],
    ['summer mornings come an hour earlier', paris, '2026-07-01T08:00:00+02:00'],

    ['31 December', paris, '2026-12-31T19:00:00+01:00'],
    ['31 December at night: 1 January is a holiday', paris, '2026-12-31T20:00:00+01:00', '2027-01-02T08:00:00+01:00'],
    ['1 January', paris, '2026-01-01T10:00:00+01:00', '2026-01-02T08:00:00+01:00'],
    ['Saturday before Easter Monday', paris, '2026-04-04T20:00:00+02:00', '2026-04-07T08:00:00+02:00'],
    ['Easter Monday', paris, '2026-04-06T10:00:00+02:00', '2026-04-07T08:00:00+02:00'],
    ['1 May, a Friday', paris, '2026-05-01T10:00:00+02:00', '2026-05-02T08:00:00+02:00'],
    ['8 May', paris, '2026-05-08T10:00:00+02:00', '2026-05-09T08:00:00+02:00'],
    ['Ascension', paris, '2026-05-14T10:00:00+02:00', '2026-05-15T08:00:00+02:00'],
    ['Whit Monday', paris, '2026-05-25T10:00:00+02:00', '2026-05-26T08:00:00+02:00'],
    ['14 July', paris, '2026-07-14T10:00:00+02:00', '2026-07-15T08:00:00+02:00'],
    ['Assumption, a Saturday', paris, '2026-08-15T10:00:00+02:00', '2026-08-17T08:00:00+02:00'],
    ['11 November', paris, '2026-11-11T10:00:00+01:00', '2026-11-12T08:00:00+01:00'],
    ['Christmas, a Friday', paris, '2026-12-25T10:00:00+01:00', '2026-12-26T08:00:00+01:00'],
    ['Christmas in Alsace', alsace, '2026-12-25T10:00:00+01:00', '2026-12-28T08:00:00+01:00'],
    ['26 December', paris, '2026-12-26T10:00:00+01:00'],
    ['26 December in Alsace, a Saturday', alsace, '2026-12-26T10:00:00+01:00', '2026-12-28T08:00:00+01:00'],
    ['Good Friday', paris, '2026-04-03T10:00:00+02:00'],
    ['Good Friday in Alsace', alsace, '2026-04-03T10:00:00+02:00', '2026-04-04T08:00:00+02:00'],

    ['La Réunion at 8, Paris at 5', reunion, '2026-03-03T08:00:00+04:00'],
    ['La Réunion at 20, Paris at 17', reunion, '2026-03-03T20:00:00+04:00', '2026-03-04T08:00:00+04:00'],
    ['La Réunion is on Sunday already', reunion, '2026-03-08T00:30:00+04:00', '2026-03-09T08:00:00+04:00'],
    [
      'abolition at La Réunion, a Sunday and its eve',
      reunion,
      '2026-12-19T20:00:00+04:00',
      '2026-12-21T08:00:00+04:00'
    ],
    ['abolition at La Réunion, a Monday', reunion, '2027-12-20T10:00:00+04:00', '2027-12-21T08:00:00+04:00'],
    ['Mayotte', mayotte, '2026-04-27T10:00:00+03:00', '2026-04-28T08:00:00+03:00'],
    ['Guadeloupe at 8, Paris at 13', guadeloupe, '2026-03-03T08:00:00-04:00'],
    ['Guadeloupe in Paris’s afternoon', guadeloupe, '2026-03-03T07:59:59-04:00', '2026-03-03T08:00:00-04:00'],
    ['Guadeloupe at 19, Paris at midnight', guadeloupe, '2026-03-03T19:00:00-04:00'],
    ['Saturday there, Sunday in Paris', guadeloupe, '2026-03-07T19:30:00-04:00'],
    ['abolition at Guadeloupe', guadeloupe, '2026-05-27T10:00:00-04:00', '2026-05-28T08:00:00-04:00'],
    ['Victor Schœlcher', martinique, '2026-07-21T10:00:00-04:00', '2026-07-22T08:00:00-04:00'],
    ['Guyane', guyane, '2026-06-10T10:00:00-03:00', '2026-06-11T08:00:00-03:00'],
    ['Saint-Barthélemy', saintBarthelemy, '2026-10-09T10:00:00-04:00', '2026-10-10T08:00:00-04:00'],
    ['Saint-Martin', saintMartin, '2026-05-28T10:00:00-04:00', '2026-05-29T08:00:00-04:00'],
    ['Miquelon in winter', miquelon, '2026-03-06T20:00:00-03:00', '2026-03-07T08:00:00-03:00'],
    ['Miquelon’s clocks go forward before ours', miquelon, '2026-03-07T20:00:00-03:00', '2026-03-09T08:00:00-02:00'],
    ['and back after ours', miquelon, '2026-10-31T20:00:00-02:00', '2026-11-02T08:00:00-03:00'],
    ['Nouméa at 8, the evening before in Paris', noumea, '2026-03-03T08:00:00+11:00'],
    ['Nouméa’s Monday morning, Paris’s Sunday', noumea, '2026-03-09T08:00:00+11:00'],
    ['Nouméa’s Sunday, Paris’s Saturday', noumea, '2026-03-08T09:00:00+11:00', '2026-03-09T08:00:00+11:00'],
    ['citizenship at Nouméa', noumea, '2026-09-24T10:00:00+11:00', '2026-09-25T08:00:00+11:00'],
    ['Tahiti’s Saturday, Paris’s Sunday', tahiti, '2026-03-07T19:59:00-10:00'],
    ['Wallis', wallis, '2026-07-29T10:00:00+12:00', '2026-07-30T08:00:00+12:00']
  ]
  for (const [why, hours, at, then = at] of cases) {
    const found = nextAllowedMoment(new Date(at), hours)
    assert.equal(found.toISOString(), new Date(then).toISOString(), `${why}: ${at}`)
  }
})

test('an end outside of the law is a mistake of ours, and lets nothing out', () => {
  for (const hoursEnd of ['21:30:01', '22:00', '23:59', '08:00', '00:00', '', '25:00', 'evening']) {
    assert.throws(() => nextAllowedMoment(new Date('2026-03-03T10:00:00Z'), { ...paris, hoursEnd }), hoursEnd)
  }
})

const anyMoment = fc.date({ min: new Date('2024-01-01'), max: new Date('2031-01-01'), noInvalidDate: true })
const anyTerritory = fc.constantFrom<FrenchTerritory[]>(
  ...[paris, alsace, reunion, mayotte, guadeloupe, martinique, guyane, saintBarthelemy, saintMartin, miquelon],
  ...[noumea, tahiti, wallis]
)
const anyEnd = fc.integer({ min: 8 * 60 + 1, max: 21 * 60 + 30 }).map((minutes) => {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
})

/** The rule once more by other means: Intl's clock, and text compared with text. */
function isAllowed(
  at: Date,
  { timeZone, calendar }: FrenchTerritory,
  { hoursEnd, sundaysAndHolidays }: MarketingHours
) {
  const [date = '', time = ''] = clockOf(timeZone).format(at).split(' ')
  const isSunday = new Date(`${date}T00:00:00Z`).getUTCDay() === 0
  const isWorkingDay = !isSunday && !isHoliday(Temporal.PlainDate.from(date), calendar)
  return (sundaysAndHolidays || isWorkingDay) && time >= '08:00:00' && time < `${hoursEnd}:00`
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  // Swedish writes 2026-03-03 08:00:00.
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  clocks.set(timeZone, clock)
  return clock
}

test('whenever it is, the moment found is allowed, and no earlier one is', () => {
  fc.assert(
    fc.property(
      anyMoment,
      anyTerritory,
      fc.record({ hoursEnd: anyEnd, sundaysAndHolidays: fc.boolean() }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
      (at, territory, hours, fractions) => {
        const found = nextAllowedMoment(at, { ...territory, ...hours })
        const waitMs = found.getTime() - at.getTime()
        assert.ok(waitMs >= 0, 'before the moment asked for')
        assert.ok(isAllowed(found, territory, hours), `${found.toISOString()} is not allowed`)
        assert.deepEqual(nextAllowedMoment(found, { ...territory, ...hours }), found, 'not the same again')
        if (waitMs === 0) return
        for (const fraction of [0, ...fractions]) {
          const between = new Date(at.getTime() + Math.floor(fraction * (waitMs - 1)))
          assert.ok(!isAllowed(between, territory, hours), `${between.toISOString()} was allowed already`)
        }
        assert.ok(!isAllowed(new Date(found.getTime() - 1), territory, hours), 'a millisecond earlier was allowed')
      }
    ),
    { numRuns: 2_000 }
  )
})

const ourNumbers = toOurNumbers(['+33145678901', '36111', '447700900123', '+33612345678'])
const OURS = ['36111', '+33145678901', '33145678901', '447700900123', '+447700900123']
const FOREIGN_NAMES = ['A-B_c.d 1', '3 Suisses', 'M6 Mobile', '...a']
const problemOf = (sender: string, country: string) => checkSender(sender, { country, ourNumbers })

test('a sender is a name as the operators of the country allow it, or a number of ours', () => {
  for (const country of ['FR', 'RE', 'NC', 'BE', 'GB', '']) {
    for (const sender of ['CHAPPE', 'abc', 'x2345678901', '3Suisses', ...OURS]) {
      assert.equal(problemOf(sender, country), undefined, `${sender} in ${country}`)
    }
  }
  for (const sender of FOREIGN_NAMES) {
    assert.equal(problemOf(sender, 'BE'), undefined, sender)
    for (const country of ['FR', 'GP', 'PF']) {
      assert.equal(problemOf(sender, country), 'must be 3 to 11 letters and digits, such as MYSHOP', sender)
    }
  }
})

test('any other sender is refused, with a sentence on what would be right', () => {
  const numeric = ['12', '36112', '38000', '123456', '0145678901', '+4477009001', '+3 6111', '33 1 45 67 89 01']
  for (const sender of numeric) {
    const expected = 'must be a number of this service, or 3 to 11 letters and digits with a letter, such as MYSHOP'
    assert.equal(problemOf(sender, 'FR'), expected, sender)
    assert.match(problemOf(sender, 'BE') ?? '', /^must be a number of this service, or 3 to 11 letters/, sender)
  }
  const names = ['', ' ', '...', '+', 'é', 'ab', 'abcdefghijkl', 'Café', 'A&B', 'a+b', 'abc\n', 'abc!', '🙂abc']
  names.push('a\u00a0b', 'аbc', ' abc', 'abc ', ' a ')
  for (const sender of names) {
    assert.equal(problemOf(sender, 'FR'), 'must be 3 to 11 letters and digits, such as MYSHOP', JSON.stringify(sender))
    assert.match(problemOf(sender, 'BE') ?? '', /^must be 3 to 11 letters, digits, spaces/, JSON.stringify(sender))
  }
})

test('a French mobile number is no sender in any notation, even if it is listed', () => {
  const numbers = ['0612345678', '+33612345678', '33612345678', '0033612345678', '33 6 12 34 56 78', '06 12 34 56 78']
  numbers.push('06.12.34.56.78', '06-12-34-56-78', '+33 (0)6 12 34 56 78', '0712345678', '+33745678901', '0639980001')
  numbers.push('0692123456', '+262692123456', '262639691234', '+590690221234', '+594694201234', '+596696201234')
  for (const sender of numbers) {
    const listed = { ourNumbers: toOurNumbers([sender]) }
    for (const country of ['FR', 'BE']) {
      assert.match(checkSender(sender, { country, ...listed }) ?? '', /French mobile/, sender)
    }
  }
})

test('whatever has a letter and only the right characters, 3 to 11 of them, is a sender', () => {
  const character = fc.constantFrom(...'abcXYZ0189 ._-')
  const name = fc.string({ unit: character, minLength: 0, maxLength: 14 })
  fc.assert(
    fc.property(name, (sender) => {
      const isGood = sender.length >= 3 && sender.length <= 11 && /[a-z]/i.test(sender) && sender.trim() === sender
      assert.equal(problemOf(sender, 'BE') === undefined, isGood)
      assert.equal(problemOf(sender, 'FR') === undefined, isGood && /^[a-z0-9]+$/i.test(sender))
    })
  )
})

const REGISTERED = 'registered'

/** Of each country, senders that its rules take and senders that they don't, and how names stand. */
const countryCases: [
  country: string,
  names: 'allowed' | 'registered' | 'none',
  good: [sender: string, category?: 'marketing' | 'transactional'],
  bad: [sender: string, problem: RegExp, category?: 'marketing' | 'transactional']
][] = [
  ['FR', 'allowed', ['36111', 'marketing'], ['36111', /for a transactional message.*begins with 38/, 'transactional']],
  ['RE', 'allowed', ['38111', 'transactional'], ['38111', /for a marketing message.*begins with 36/, 'marketing']],
  ['GB', 'allowed', ['My-Shop'], ['My&Shop', /letters, digits, spaces.* in GB/]],
  ['DE', 'allowed', ['My Shop'], ['Größe', /in DE/]],
  ['ES', REGISTERED, ['MY_SHOP'], ['ab', /in ES/]],
  ['IT', REGISTERED, ['MyShop.it'], ['toolonganame', /in IT/]],
  ['BE', 'allowed', ['MYSHOP'], ['MY!SHOP', /in BE/]],
  ['NL', 'allowed', ['MYSHOP'], [' MYSHOP', /in NL/]],
  ['CH', 'allowed', ['MYSHOP'], ['MYSHOP ', /in CH/]],
  ['PT', 'allowed', ['MYSHOP'], ['MY+SHOP', /in PT/]],
  ['IE', REGISTERED, ['MYSHOP'], ['...', /in IE/]],
  ['PL', 'allowed', ['MYSHOP'], ['MY@SHOP', /in PL/]],
  ['US', 'none', ['12025550123'], ['MYSHOP', /must be a number: networks of US show no names/]],
  ['CA', 'none', ['+16135550123'], ['MYSHOP', /must be a number: networks of CA show no names/]],
  ['IN', REGISTERED, ['MYSHOP'], ['MYSHOP1', /6 letters in IN/]],
  ['SG', REGISTERED, ['MYSHOP'], ['M', /in SG/]],
  ['AU', REGISTERED, ['MYSHOP'], ['MY/SHOP', /in AU/]],
  ['MA', REGISTERED, ['MYSHOP'], ['MY:SHOP', /in MA/]],
  // Not listed: the widest form.
  ['BR', 'allowed', ['My-Shop'], ['My&Shop', /in BR/]]
]

test('each country takes the senders that its operators publish, and no others', () => {
  const tested = new Set(countryCases.map(([country]) => country))
  for (const { country } of COUNTRIES) assert.ok(tested.has(country), `no case for ${country}`)
  for (const [country, names, [good, ofGood], [bad, problem, ofBad]] of countryCases) {
    assert.equal(rulesOf(country).names.status, names, country)
    assert.equal(checkCountrySender(good, { country, category: ofGood }), undefined, country)
    assert.match(checkCountrySender(bad, { country, category: ofBad }) ?? '', problem, country)
  }
})

test('each country has a publication with its date, and each territory one entry', () => {
  const codes = COUNTRIES.flatMap(({ country, territories }) => [country, ...territories])
  assert.equal(new Set(codes).size, codes.length)
  assert.ok(COUNTRIES.length > 10)
  for (const { country, source, date, hours } of COUNTRIES) {
    assert.equal(new URL(source).protocol, 'https:', country)
    assert.match(date, /^20\d\d-\d\d-\d\d$/, country)
    if (hours) assert.ok(hours.start < hours.end && hours.end <= hours.endMax, country)
  }
})

test('marketing abroad keeps to the published hours, in every zone that the number may be in', () => {
  const account = { calendar: 'national', hoursEnd: '12:00', sundaysAndHolidays: false } as const
  const cases: [phone: string, country: string, at: string, then?: string][] = [
    ['+12125550100', 'US', '2026-03-03T12:00:00-05:00'],
    // 8:00 in New York is 5:00 in Los Angeles.
    ['+12125550100', 'US', '2026-03-03T08:00:00-05:00', '2026-03-03T08:00:00-08:00'],
    ['+12125550100', 'US', '2026-03-03T20:59:59-05:00'],
    ['+12125550100', 'US', '2026-03-03T21:00:00-05:00', '2026-03-04T08:00:00-08:00'],
    // The night before the clocks go forward.
    ['+13105550100', 'US', '2026-03-07T19:00:00-08:00', '2026-03-08T08:00:00-07:00'],
    ['+18085550100', 'US', '2026-03-03T12:00:00-05:00', '2026-03-03T08:00:00-10:00'],
    ['+19075550100', 'US', '2026-03-03T12:00:00-05:00', '2026-03-03T08:00:00-10:00'],
    ['+17875550100', 'PR', '2026-03-03T07:00:00-04:00', '2026-03-03T08:00:00-04:00'],
    ['+16715550100', 'GU', '2026-03-03T12:00:00+10:00'],
    ['+919876543210', 'IN', '2026-03-08T10:00:00+05:30'],
    ['+919876543210', 'IN', '2026-03-08T09:59:59+05:30', '2026-03-08T10:00:00+05:30'],
    ['+919876543210', 'IN', '2026-03-08T21:00:00+05:30', '2026-03-09T10:00:00+05:30'],
    // No hours are published for these.
    ['+32470123456', 'BE', '2026-03-08T03:00:00+01:00'],
    ['+16135550123', 'CA', '2026-03-08T03:00:00-05:00']
  ]
  for (const [phone, country, at, then = at] of cases) {
    const found = nextMarketingMoment(new Date(at), placeOf(country, phone), account)
    assert.equal(found.toISOString(), new Date(then).toISOString(), `${phone} at ${at}`)
  }
})

test('a content that says STOP, or has the placeholder, tells how to opt out', () => {
  const telling = [
    'Promo #STOP_XXX#',
    '#stop_xxx#',
    'x#Stop_Xxx#y',
    'STOP',
    'stop',
    'Promo STOP 36111',
    'Promo STOP36111'
  ]
  telling.push(
    'stop: 36111',
    'Pub? (stop)',
    'Promo.STOP',
    'répondez « STOP ».',
    "envoyez'STOP'",
    'STOP-36111',
    'a\nSTOP\nb'
  )
  telling.push('non-stop ! STOP 36111', '#name# STOP', 'Promo - STOP 36111', 'Sinon stop', DEFAULT_STOP_MENTION)
  for (const content of telling) {
    assert.equal(hasOptOut(content), true, content)
  }
})

test('what only sounds like it does not', () => {
  const silent = [
    '',
    'Promo',
    'nonstop',
    'Stopper les prix',
    'NONSTOP',
    'autostop',
    'unstoppable',
    'non-stop',
    'Non stop',
    'pit-stop'
  ]
  silent.push(
    'stop-motion',
    'stoppé',
    'STOPSMS',
    '#stop#',
    '#STOP36#',
    '#non_stop#',
    '#STOP_YYY#',
    'STOP_XXX',
    'éstop',
    'S T O P'
  )
  for (const content of silent) {
    assert.equal(hasOptOut(content), false, content)
  }
})
