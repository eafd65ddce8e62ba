import { useMemo } from 'react'
import { withFirst } from './french/typography.ts'
import { type Language, localeOf, useLanguage } from './language.ts'

const MEGABYTE = 1_000_000
/** Shares below it have a second decimal. */
const SMALL_SHARE = 0.01
const COUNTRY_CODE = /^[A-Z]{2}$/
/** Amounts of the service are whole millionths. */
const MONEY_DECIMALS = 6

/** Numbers, times and phone numbers in the format of the language. */
export function formatsOf(language: Language, timeZone?: string) {
  const zone = timeZone ? { timeZone } : {}
  const locale = localeOf(language)
  const number = new Intl.NumberFormat(locale)
  const compact = new Intl.NumberFormat(locale, { notation: 'compact' })
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const smallPercents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  // Something that happens to few people is not 0%.
  const percent = (share: number) => (Math.abs(share) < SMALL_SHARE ? smallPercents : percents).format(share)
  const size = { style: 'unit', maximumFractionDigits: 1 } as const
  const kilobytes = new Intl.NumberFormat(locale, { ...size, unit: 'kilobyte' })
  const megabytes = new Intl.NumberFormat(locale, { ...size, unit: 'megabyte' })
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', ...zone })
  const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', ...zone })
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', ...zone })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...zone })
  const calendarDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...zone })
  const precise = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    ...zone
  })
  const countries = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
  return {
    number: (value: number) => number.format(value),
    /** The name of a country by its code; anything else as it is. */
    country: (code: string) => (COUNTRY_CODE.test(code) ? (countries.of(code) ?? code) : code),
    /** "1.2M": where there is no room for all digits. */
    compact: (value: number) => compact.format(value),
    percent: (part: number, whole: number) => (whole === 0 ? '–' : percent(part / whole)),
    /** A number from 0 to 1; null when it is not known. */
    rate: (value: number | null) => (value === null ? '–' : percent(value)),
    size(bytes: number): string {
      const isLarge = bytes >= MEGABYTE
      return (isLarge ? megabytes : kilobytes).format(bytes / (isLarge ? MEGABYTE : 1_000))
    },
    /** An exact decimal number, which is never a floating point one, with all its decimals. */
    money: (amount: string, currency: string) =>
      new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: MONEY_DECIMALS }).format(
        amount as `${number}`
      ),
    moment: (iso: string) => withFirst(moment.format(new Date(iso)), language),
    /** With the day of the week. */
    full: (iso: string) => withFirst(full.format(new Date(iso)), language),
    exact: (iso: string) => withFirst(exact.format(new Date(iso)), language),
    day: (iso: string) => withFirst(day.format(new Date(iso)), language),
    /** A calendar day, "2026-11-15", without a time zone. */
    calendarDay: (date: string) => withFirst(calendarDay.format(new Date(`${date}T00:00:00Z`)), language),
    /** The same without its year. */
    shortDay: (date: string) => withFirst(shortDay.format(new Date(`${date}T00:00:00Z`)), language),
    time: (iso: string) => time.format(new Date(iso)),
    /** To the millisecond. */
    precise: (iso: string) => precise.format(new Date(iso)),
    ago(iso: string): string {
      const seconds = Math.round((new Date(iso).getTime() - Date.now()) / 1000)
      for (const [unit, size] of [
        ['day', 86_400],
        ['hour', 3_600],
        ['minute', 60]
      ] as const) {
        if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
      }
      return relative.format(Math.trunc(seconds), 'second')
    }
  }
}

export type Formats = ReturnType<typeof formatsOf>

export function useFormats(timeZone?: string): Formats {
  const language = useLanguage()
  return useMemo(() => formatsOf(language, timeZone), [language, timeZone])
}
