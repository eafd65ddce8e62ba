import type { Static } from 'typebox'
import type { Channel } from '../messages/message.ts'
import { type Report, writeReport } from '../reports/report.ts'
import type { ReportLanguage } from '../reports/report-language.ts'
import type { MessageResult } from './message-result.ts'
import type { PeriodResults } from './period-results.ts'
import { groupTables, rateFigures } from './report-parts.ts'
import { wordsOf } from './report-words.ts'

const HOURS_SHOWN = 5

export interface PeriodOfReport {
  /** Days as YYYY-MM-DD, both included. */
  first: string
  last: string
  channel: Channel | undefined
  results: Static<typeof PeriodResults>
  /** Each day of the period. */
  days: readonly { day: string; delivered: number }[]
  messages: readonly Static<typeof MessageResult>[]
}

/** The report of some days. */
export function writePeriodReport(
  { first, last, channel, results, days, messages }: PeriodOfReport,
  { language, timeZone, now = new Date() }: { language: ReportLanguage; timeZone: string; now?: Date }
): Promise<Buffer> {
  const words = wordsOf(language, timeZone)
  const { say, number, rate, moment, shortMoment, day, shortDay, hourOfWeek } = words
  const { totals, hours } = results
  const report: Report = {
    title: say.results,
    about: [
      say.period(day(first), day(last)),
      ...(channel === undefined ? [] : [say.channel(channel.toUpperCase())]),
      say.fact(say.sent, number(totals.sent)),
      say.fact(say.delivered, number(totals.delivered)),
      say.fact(say.failed, number(totals.failed))
    ],
    figures: rateFigures(totals, words),
    charts: [
      {
        title: say.deliveriesByDay,
        bars: days.map((row) => ({ label: shortDay(row.day), value: row.delivered, shown: number(row.delivered) }))
      }
    ],
    tables: [
      {
        title: say.bestHours,
        columns: ['', say.click_rate, say.delivered],
        rows: hours
          .slice(0, HOURS_SHOWN)
          .map((row) => [hourOfWeek(row.weekday, row.hour), rate(row.click_rate), number(row.delivered)]),
        none: say.none
      },
      ...groupTables(results, words),
      {
        title: say.messages,
        columns: ['', say.delivered, ...say.rates],
        rows: messages.map((row) => [
          `${shortMoment(new Date(row.due_at))} ${row.name ?? row.content}`,
          number(row.delivered),
          ...[row.delivery_rate, row.click_rate, row.reply_rate, row.opt_out_rate].map(rate)
        ]),
        none: say.none
      }
    ],
    foot: say.written(moment(now))
  }
  return writeReport(report, language)
}
