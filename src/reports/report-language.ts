import Type from 'typebox'

/* The languages of reports, and how they write numbers, times and countries. */

const REPORT_LANGUAGES = ['en', 'fr'] as const
export type ReportLanguage = (typeof REPORT_LANGUAGES)[number]

/** A part of the query of an operation that answers a report. */
export const PDF_LANGUAGE = {
  language: Type.Enum(REPORT_LANGUAGES, { default: 'en', description: 'Of the PDF.' })
}

/** How a language writes values, in the time zone of an account. */
export function formatsOf(language: ReportLanguage, timeZone: string) {
  const locale = language === 'fr' ? 'fr-FR' : 'en-GB'
  const numbers = new Intl.NumberFormat(locale)
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone })
  const shortMoments = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short', timeZone })
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const shortDays = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric', timeZone: 'UTC' })
  const months = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const weekdays = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
  const countries = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' })
  const ofDay = (day: string) => new Date(`${day}T00:00Z`)
  return {
    number: (value: number) => numbers.format(value),
    rate: (value: number | null) => (value === null ? '–' : percents.format(value)),
    moment: (at: Date) => moments.format(at),
    shortMoment: (at: Date) => shortMoments.format(at),
    day: (day: string) => days.format(ofDay(day)),
    shortDay: (day: string) => shortDays.format(ofDay(day)),
    /** Of a month as YYYY-MM. */
    month: (month: string) => months.format(ofDay(`${month}-01`)),
    /** 5 January 2026 was a Monday. */
    hourOfWeek: (weekday: number, hour: number) =>
      `${weekdays.format(new Date(Date.UTC(2026, 0, 4 + weekday)))} ${hour}:00–${hour + 1}:00`,
    country: (code: string) => (/^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code)
  }
}
