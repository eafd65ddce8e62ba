import { Badge, Text } from '@mantine/core'
import type { Schemas } from '../../../lib/api.ts'
import { type Formats, useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import type { Column } from '../../../ui/data-table.tsx'
import { STANDING_COLORS, standingWords } from '../standing-words.ts'

type Figures = Pick<
  Schemas['AccountRow'],
  'standing' | 'sms_credits' | 'rcs_credits' | 'sent_30_days' | 'last_activity_at'
>

const words = defineWords(
  { standing: 'Status', sms: 'SMS', rcs: 'RCS', sent: 'Sent, 30 d', activity: 'Last activity', never: 'Never' },
  {
    standing: 'Statut',
    sms: 'SMS',
    rcs: 'RCS',
    sent: 'Envois, 30 j',
    activity: 'Dernière activité',
    never: 'Jamais'
  }
)

/** The columns that the lists of the operator and of a reseller share. */
export function useFigureColumns<Row extends Figures>(formats: Formats): Column<Row>[] {
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
    number('sms', say.sms, '84px', (row) => row.sms_credits),
    number('rcs', say.rcs, '84px', (row) => row.rcs_credits),
    number('sent', say.sent, 'minmax(0, 104px)', (row) => row.sent_30_days),
    {
      key: 'activity',
      title: say.activity,
      width: 'minmax(0, 160px)',
      isWide: true,
      cell: ({ last_activity_at: at }) => (at ? formats.moment(at) : say.never)
    },
    {
      key: 'standing',
      title: say.standing,
      width: '110px',
      cell: ({ standing }) => <StandingBadge standing={standing} />
    }
  ]
}

type Credits = Pick<Figures, 'sms_credits' | 'rcs_credits'>

interface Named {
  social_reason: string
  first_name: string
  last_name: string
  email: string
}

/** The company, or else the person, with the email below; where there is no column for credits, with those. */
export function AccountName({ account, isNarrow = false }: { account: Named & Credits; isNarrow?: boolean }) {
  const say = useWords(words)
  const formats = useFormats()
  const name = account.social_reason || `${account.first_name} ${account.last_name}`.trim()
  return (
    <>
      <Text size="sm" className="cut" title={name || account.email}>
        {name || account.email}
      </Text>
      {isNarrow && (
        <Text size="xs" c="dimmed" className="cut digits">
          {`${say.sms} ${formats.number(account.sms_credits)} · ${say.rcs} ${formats.number(account.rcs_credits)}`}
        </Text>
      )}
      {!isNarrow && name !== '' && (
        <Text size="xs" c="dimmed" className="cut" title={account.email}>
          {account.email}
        </Text>
      )}
    </>
  )
}

export function StandingBadge({ standing }: { standing: Figures['standing'] }) {
  const say = useWords(standingWords)
  return (
    <Badge variant="dot" color={STANDING_COLORS[standing]} tt="none">
      {say[standing]}
    </Badge>
  )
}
