import { defineWords, useWords } from '../../../lib/language.ts'
import { Bars } from '../../../ui/bars.tsx'
import type { MessageResults } from '../api/results.ts'
import { HAPPENING_COLORS, type Happening, resultWords } from '../words.ts'

const words = defineWords(
  { hour: 'Hours after the send time', later: 'later', caption: 'Results by hour' },
  { hour: 'Heures après la date d’envoi', later: 'après', caption: 'Résultats par heure' }
)

type Hour = MessageResults['hours'][number]
/** A week or more. */
const LAST_HOUR = 168
/** More bars would be too thin. */
const HOURS_SHOWN = 48
/** The hours that are named below a long chart. */
const NAMED_EVERY = 12

/** What happened in each hour since the message was due. */
export function HoursChart({ hours, names }: { hours: Hour[]; names: Happening[] }) {
  const say = useWords(words)
  const results = useWords(resultWords)
  const data = spread(hours).map((row) => ({ ...row, label: row.hour >= LAST_HOUR ? say.later : `+${row.hour} h` }))
  const last = data.length - 1
  // The last bar has no room beside one that is named right before it.
  const isNamed = (index: number) => index === last || (index % NAMED_EVERY === 0 && index < last - 1)
  return (
    <Bars
      height={220}
      isNamed={data.length > NAMED_EVERY ? isNamed : undefined}
      caption={say.caption}
      head={say.hour}
      rows={data}
      series={names.map((name) => ({ name, label: results[name], color: HAPPENING_COLORS[name] }))}
    />
  )
}

/** The first hours without gaps; all later ones are one bar. */
function spread(hours: Hour[]): Hour[] {
  const nothing = { delivered: 0, clicked: 0, replied: 0, opted_out: 0 }
  const last = Math.min(HOURS_SHOWN, hours.at(-1)?.hour ?? 0)
  const shown: Hour[] = Array.from({ length: last + 1 }, (_, hour) => ({ hour, ...nothing }))
  let later: Hour | undefined
  for (const row of hours) {
    if (row.hour <= HOURS_SHOWN) shown[row.hour] = row
    else {
      later ??= { hour: LAST_HOUR, ...nothing }
      for (const name of Object.keys(nothing) as Happening[]) later[name] += row[name]
    }
  }
  return later ? [...shown, later] : shown
}
