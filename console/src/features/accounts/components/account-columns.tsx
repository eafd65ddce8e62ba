import { Badge } from '@mantine/core'
import type { Schemas } from '../../../lib/api.ts'
import type { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import type { Column } from '../../../ui/data-table.tsx'
import { STANDING_COLORS, standingWords } from '../standing-words.ts'

type Figures = Pick<
  Schemas['AccountRow'],
  'standing' | 'sms_credits' | 'rcs_credits' | 'sent_30_days' | 'last_activity_at'
>

const words = defineWords(
  { standing: 'Status', sms: 'SMS', rcs: 'RCS', sent: 'Messages, 30 days', activity: 'Last activity', never: 'never' },
  {
    standing: 'Statut',
    sms: 'SMS',
    rcs: 'RCS',
    sent: 'Messages, 30 jours',
    activity: 'Dernière activité',
    never: 'jamais'
  }
)

/** The columns that the lists of the operator and of a reseller share. */
export function useFigureColumns<Row extends Figures>(formats: ReturnType<typeof useFormats>): Column<Row>[] {
  const say = useWords(words)
  const number = (key: string, title: string, width: string, figure: (row: Row) => number): Column<Row> => ({
    key,
    title,
    width,
    align: 'right',
    isWide: true,
    cell: (row) => formats.number(figure(row))
  })
  return [
    number('sms', say.sms, '90px', (row) => row.sms_credits),
    number('rcs', say.rcs, '90px', (row) => row.rcs_credits),
    number('sent', say.sent, '140px', (row) => row.sent_30_days),
    {
      key: 'activity',
      title: say.activity,
      width: '170px',
      isWide: true,
      cell: ({ last_activity_at: at }) => (at ? formats.moment(at) : say.never)
    },
    {
      key: 'standing',
      title: say.standing,
      width: '120px',
      cell: ({ standing }) => <StandingBadge standing={standing} />
    }
  ]
}

export function StandingBadge({ standing }: { standing: Figures['standing'] }) {
  const say = useWords(standingWords)
  return (
    <Badge variant="dot" color={STANDING_COLORS[standing]} tt="none">
      {say[standing]}
    </Badge>
  )
}
