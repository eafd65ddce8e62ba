import type { Static } from 'typebox'
import { type Chart, type Report, writeReport } from '../reports/report.ts'
import type { ReportLanguage } from '../reports/report-language.ts'
import type { HourCounts, MessageResults } from './message-result.ts'
import { groupTables, rateFigures } from './report-parts.ts'
import { type ReportWords, wordsOf } from './report-words.ts'

const TITLE_MAX = 100
/** Later hours are one bar. */
const HOURS_SHOWN = 48

/** The report of one message. */
export function writeMessageReport(
  results: Static<typeof MessageResults>,
  { language, timeZone, now = new Date() }: { language: ReportLanguage; timeZone: string; now?: Date }
): Promise<Buffer> {
  const words = wordsOf(language, timeZone)
  const { say, number, moment } = words
  const { channel, sender, recipients, link, content, hours } = results
  const report: Report = {
    title: cut(results.name ?? content),
    about: [
      say.sendTime(moment(new Date(results.due_at))),
      say.messageFacts(channel.toUpperCase(), sender, number(recipients)),
      ...(results.name === null ? [] : [content]),
      ...(link === null ? [] : [say.fact(say.link, link)])
    ],
    figures: rateFigures(results, words),
    charts: [
      { title: say.deliveriesByHour, bars: hourBars(hours, 'delivered', words) },
      ...(link === null ? [] : [{ title: say.clicksByHour, bars: hourBars(hours, 'clicked', words) }])
    ],
    tables: groupTables(results, words),
    foot: say.written(moment(now))
  }
  return writeReport(report, language)
}

function cut(text: string): string {
  return text.length > TITLE_MAX ? `${text.slice(0, TITLE_MAX)}…` : text
}

/** The first hours without gaps, and all later ones together. */
function hourBars(
  hours: readonly HourCounts[],
  name: 'delivered' | 'clicked',
  { say, number }: ReportWords
): Chart['bars'] {
  const counted = hours.filter((row) => row[name] > 0)
  const length = Math.min(HOURS_SHOWN, (counted.at(-1)?.hour ?? 0) + 1)
  const values = Array.from({ length }, (_, hour) => counted.find((row) => row.hour === hour)?.[name] ?? 0)
  const bars = values.map((value, hour) => ({ label: say.hour(hour), value, shown: number(value) }))
  const later = counted.filter(({ hour }) => hour >= HOURS_SHOWN).reduce((sum, row) => sum + row[name], 0)
  return later === 0 ? bars : [...bars, { label: say.later, value: later, shown: number(later) }]
}
