import type { Schemas } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Bars } from '../../../ui/bars.tsx'

const words = defineWords(
  {
    day: 'Day',
    delivered: 'Delivered',
    awaited: 'Awaiting delivery report',
    failed: 'Failed',
    stopped: 'Opted out before sending',
    caption: 'Recipients by day and outcome'
  },
  {
    day: 'Jour',
    delivered: 'Délivrés',
    awaited: 'Confirmation en attente',
    failed: 'Échecs',
    stopped: 'Désinscrits avant l’envoi',
    caption: 'Destinataires par jour et par résultat'
  }
)

type Day = Schemas['DailyStatsRo']

const COLORS = { delivered: 'teal.6', awaited: 'telegraph.4', failed: 'red.6', stopped: 'orange.5' } as const
const OUTCOMES = Object.keys(COLORS) as (keyof typeof COLORS)[]

/** Thirty days by outcome. */
export function TrafficChart({ days }: { days: Day[] }) {
  const say = useWords(words)
  const formats = useFormats()
  const rows = days.map((day) => ({
    label: formats.shortDay(day.day),
    delivered: day.delivered,
    awaited: Math.max(0, day.sent - day.delivered - takenFailures(day)),
    failed: day.failed,
    stopped: day.stopped
  }))
  return (
    <Bars
      height={260}
      caption={say.caption}
      head={say.day}
      rows={rows}
      series={OUTCOMES.map((name) => ({ name, label: say[name], color: COLORS[name] }))}
    />
  )
}

/** Some failed recipients were never accepted by a carrier; the others are among the sent ones. */
const takenFailures = ({ sent, delivered, failed }: Day) => Math.min(failed, Math.max(0, sent - delivered))
