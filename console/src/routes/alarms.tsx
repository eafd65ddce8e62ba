import { Badge } from '@mantine/core'
import { IconBellRinging } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../features/account/api/me.ts'
import { ALARMS, type Alarm, pageAlarms } from '../features/alarms/api/alarms.ts'
import { alarmWords, sentenceOf } from '../features/alarms/words.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { DataTable } from '../ui/data-table.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Alarms',
    about: 'Current and past problems. Owners get an email, and webhooks the event “Alarms”.',
    since: 'Since',
    over: 'Over',
    what: 'Problem',
    lasts: 'Ongoing',
    none: 'Nothing is wrong',
    noneHint: 'An alarm appears here when something needs a person.'
  },
  {
    title: 'Alarmes',
    about:
      'Les problèmes en cours et passés. Les propriétaires reçoivent un e-mail, les webhooks l’événement « Alarmes ».',
    since: 'Depuis',
    over: 'Terminée',
    what: 'Problème',
    lasts: 'En cours',
    none: 'Tout va bien',
    noneHint: 'Une alarme apparaît ici quand quelqu’un doit agir.'
  }
)

const REFETCH_MS = 15_000

export function Alarms() {
  const say = useWords(words)
  const sentences = useWords(alarmWords)
  const { data: me } = useQuery(meQuery)
  const formats = useFormats(me?.time_zone)
  return (
    <Page title={say.title} about={say.about}>
      <DataTable<Alarm>
        label={say.title}
        queryKey={ALARMS}
        fetchPage={pageAlarms}
        refetchMs={REFETCH_MS}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'since',
            title: say.since,
            width: '170px',
            isWide: true,
            cell: (row) => formats.moment(row.raised_at)
          },
          {
            key: 'what',
            title: say.what,
            width: 'minmax(0, 1fr)',
            cell: (alarm) => sentenceOf(alarm, { say: sentences, formats })
          },
          {
            key: 'over',
            title: say.over,
            width: '170px',
            cell: ({ over_at: at }) =>
              at === null ? (
                <Badge color="red" variant="light" tt="none">
                  {say.lasts}
                </Badge>
              ) : (
                formats.moment(at)
              )
          }
        ]}
        empty={
          <EmptyState icon={<IconBellRinging size={28} aria-hidden />} title={say.none}>
            {say.noneHint}
          </EmptyState>
        }
      />
    </Page>
  )
}
