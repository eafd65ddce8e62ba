/*
 * Public holidays of France as rules, as they are today: messages leave in the future, so an abolished day is left out.
 * Where sources disagree about a day, it counts: a message that waits a day costs less than one that should have waited.
 */

/** Calendars. Only the first two apply to a metropolitan number: the account chooses. */
export type Calendar = MetropolitanCalendar | keyof typeof OVERSEAS

export type MetropolitanCalendar = 'national' | 'alsace-moselle'

export function isHoliday(date: Temporal.PlainDate, calendar: Calendar): boolean {
  const rules = RULES[calendar]
  return rules.has(date.toString().slice(-'MM-DD'.length)) || rules.has(daysAfterEaster(date))
}

/** A day of the year as MM-DD, or how many days it comes after Easter Sunday. */
type Rule = string | number

const GOOD_FRIDAY = -2
const EASTER_MONDAY = 1
const ASCENSION = 39
const WHIT_MONDAY = 50

/** Code du travail, L3133-1: the eleven of everywhere. */
const NATIONAL: Rule[] = [
  '01-01',
  EASTER_MONDAY,
  '05-01',
  '05-08',
  ASCENSION,
  WHIT_MONDAY,
  '07-14',
  '08-15',
  '11-01',
  '11-11',
  '12-25'
]

/** L3134-13. Good Friday only where there is a Protestant church, which no phone number tells: so everywhere. */
const ALSACE_MOSELLE: Rule[] = [GOOD_FRIDAY, '12-26']

/**
 * The abolition of slavery is L3422-2. Good Friday and 21 July (Victor Schœlcher) are holidays of the Antilles by custom
 * and local agreements. Carnival, All Souls and the Muslim feasts of Mayotte close many doors, and are in no list of the law.
 */
const OVERSEAS = {
  guadeloupe: [GOOD_FRIDAY, '05-27', '07-21'],
  martinique: [GOOD_FRIDAY, '05-22', '07-21'],
  guyane: ['06-10'],
  reunion: ['12-20'],
  mayotte: ['04-27'],
  'saint-barthelemy': ['10-09'],
  // The code still says 27 May; since 2018 circulars and the prefecture make it the 28th.
  'saint-martin': ['05-27', '05-28'],
  // Fête de la citoyenneté.
  'nouvelle-caledonie': ['09-24'],
  // Arrival of the Gospel, and Matari'i, which replaced 29 June in 2025.
  polynesie: ['03-05', GOOD_FRIDAY, '11-20'],
  // Saint Pierre Chanel, Saints Peter and Paul (not in all lists), Fête du territoire.
  'wallis-et-futuna': ['04-28', '06-29', '07-29']
} satisfies Record<string, Rule[]>

const RULES = Object.fromEntries(
  Object.entries({ national: [], 'alsace-moselle': ALSACE_MOSELLE, ...OVERSEAS }).map(([calendar, own]) => [
    calendar,
    new Set<Rule>([...NATIONAL, ...own])
  ])
) as Record<Calendar, Set<Rule>>

function daysAfterEaster(date: Temporal.PlainDate): number {
  return date.since(easterSunday(date.year)).days
}

/** The Gregorian computus in its anonymous form (Nature, 1876), with the letters it is published with. */
function easterSunday(year: number): Temporal.PlainDate {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const d = Math.floor(b / 4)
  const e = b % 4
  const f = Math.floor((b + 8) / 25)
  const g = Math.floor((b - f + 1) / 3)
  const h = (19 * a + b - d - g + 15) % 30
  const i = Math.floor(c / 4)
  const k = c % 4
  const l = (32 + 2 * e + 2 * i - h - k) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const n = h + l - 7 * m + 114
  return new Temporal.PlainDate(year, Math.floor(n / 31), (n % 31) + 1)
}
