import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Bars } from '../../../ui/bars.tsx'
import type { DailyResult } from '../api/results.ts'
import { HAPPENING_COLORS, type Happening, resultWords } from '../words.ts'

const words = defineWords(
  { day: 'Day', week: 'Week from', caption: 'Results by day' },
  { day: 'Jour', week: 'Semaine du', caption: 'Résultats par jour' }
)

/** More bars would be too thin: longer periods are shown by week. */
const DAYS_SHOWN = 62
const WEEK = 7

/** What became of the messages of each day, or of each seven days of a long period. */
export function DaysChart({ days, names }: { days: DailyResult[]; names: Happening[] }) {
  const say = useWords(words)
  const results = useWords(resultWords)
  const formats = useFormats()
  const isLong = days.length > DAYS_SHOWN
  const rows = isLong ? toWeeks(days) : days
  return (
    <Bars
      height={220}
      caption={say.caption}
      head={isLong ? say.week : say.day}
      rows={rows.map((row) => ({ ...row, label: isLong ? formats.calendarDay(row.day) : formats.shortDay(row.day) }))}
      series={names.map((name) => ({ name, label: results[name], color: HAPPENING_COLORS[name] }))}
    />
  )
}

type Counts = Pick<DailyResult, 'day' | Happening>

function toWeeks(days: DailyResult[]): Counts[] {
  return Array.from({ length: Math.ceil(days.length / WEEK) }, (_, index) => {
    const week = days.slice(index * WEEK, (index + 1) * WEEK)
    const sum = (name: Happening) => week.reduce((total, day) => total + day[name], 0)
    return {
      day: week[0]?.day ?? '',
      delivered: sum('delivered'),
      clicked: sum('clicked'),
      replied: sum('replied'),
      opted_out: sum('opted_out')
    }
  })
}
