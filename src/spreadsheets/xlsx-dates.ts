/** The built-in number formats of dates and times (ECMA-376, part 1, 18.8.30). */
const BUILT_IN_DATES = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 57])

/** Excel's own limit. It also bounds the search for a bracket that is never closed, which takes the square of the length. */
const CODE_LENGTH_MAX = 255

/** Whether numbers in this format are shown as dates. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return BUILT_IN_DATES.has(id)
  // Quoted, escaped and bracketed text is decoration: [Red], "days", \d.
  const bare = code.slice(0, CODE_LENGTH_MAX).replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '')
  return /[dmyhs]/i.test(bare) && !/[#0?]/.test(bare.replaceAll(/\.0+/g, ''))
}

const DAY_MS = 86_400_000
/** Day 0. Excel treats 1900 as a leap year, which puts its day 0 two days before 1900; from March 1900 on it is right. */
const FROM_1900 = Date.UTC(1899, 11, 30)
const FROM_1904 = Date.UTC(1904, 0, 1)

/** A workbook's count of days as ISO 8601, with a time if it has one. */
export function toDateText(days: number, isFrom1904: boolean): string {
  const moment = new Date((isFrom1904 ? FROM_1904 : FROM_1900) + Math.round(days * DAY_MS))
  if (Number.isNaN(moment.getTime())) return String(days)
  const [date = '', time = ''] = moment.toISOString().split('T')
  if (Number.isInteger(days)) return date
  const clock = time.slice(0, 8)
  return days < 1 ? clock : `${date} ${clock}`
}
