/* How a locale writes dates in fields and begins its weeks. Fields need the tokens of Day.js, which Intl does not give. */

/**
 * The locale of dates and numbers: the first of the browser's that is of the language on the screen. If there is none, the
 * region of the browser decides: a German who reads English finds 24/12, and not 12/24.
 */
export function localeFor(language: string, tags: readonly string[]): string {
  const own = tags.find((tag) => tag === language || tag.startsWith(`${language}-`))
  if (own !== undefined) return own
  const region = tags[0] === undefined ? undefined : new Intl.Locale(tags[0]).maximize().region
  return region === undefined ? language : `${language}-${region}`
}

const TOKENS: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {
  day: 'DD',
  month: 'MM',
  minute: 'mm',
  dayPeriod: 'A'
}

export interface DateTokens {
  /** Such as DD/MM/YYYY. */
  day: string
  /** The same with two digits of the year, where there is little room. */
  shortDay: string
  /** Such as DD/MM/YYYY HH:mm. */
  moment: string
  hours: '12h' | '24h'
}

export function dateTokensOf(locale: string): DateTokens {
  const date = { day: '2-digit', month: '2-digit' } as const
  const day = tokensOf(locale, { ...date, year: 'numeric' }, 'YYYY')
  const time = { hour: '2-digit', minute: '2-digit' } as const
  const { hour12 = false } = new Intl.DateTimeFormat(locale, time).resolvedOptions()
  return {
    day,
    shortDay: tokensOf(locale, { ...date, year: '2-digit' }, 'YY'),
    moment: `${day} ${tokensOf(locale, time, '', hour12 ? 'hh' : 'HH')}`,
    hours: hour12 ? '12h' : '24h'
  }
}

function tokensOf(locale: string, options: Intl.DateTimeFormatOptions, year: string, hour = ''): string {
  const parts = new Intl.DateTimeFormat(locale, options).formatToParts()
  return parts.map(({ type, value }) => ({ ...TOKENS, year, hour })[type as string] ?? literal(value)).join('')
}

/** Letters would be read as tokens. */
const literal = (text: string) => (/\p{L}/u.test(text) ? `[${text}]` : text)

/** Large regions whose weeks begin on Sunday (CLDR, weekData), for browsers that do not tell it. */
const SUNDAY_REGIONS = new Set(['US', 'CA', 'IN', 'ZA', 'PH', 'SG', 'HK'])

/** 0 is Sunday, as in Date. */
export function firstDayOf(tag: string): 0 | 1 | 6 {
  const locale = new Intl.Locale(tag) as Intl.Locale & { getWeekInfo?(): { firstDay: number } }
  const first = locale.getWeekInfo?.().firstDay ?? (SUNDAY_REGIONS.has(locale.maximize().region ?? '') ? 7 : 1)
  return first === 7 ? 0 : first === 6 ? 6 : 1
}
