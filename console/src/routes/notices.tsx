import { Text } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { meQuery, useMe } from '../features/account/api/me.ts'
import { alarmWords } from '../features/alarms/words.ts'
import { limitWords } from '../features/limits/words.ts'
import { markRead, NOTICES, NOTICES_POLL_MS, type Notice, pageNotices } from '../features/notices/api/notices.ts'
import { describeNotice, noticeWords, pathOf } from '../features/notices/words.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { DataTable } from '../ui/data-table.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Notices',
    about: 'Campaigns that ended or are late, low credits, limits, alarms and requests for credits.',
    what: 'Notice',
    when: 'Date',
    none: 'No notice yet',
    noneHint: 'A notice appears here when a campaign ends, credits run low or something needs a person.'
  },
  {
    title: 'Notifications',
    about: 'Campagnes terminées ou en retard, crédits bas, limites, alarmes et demandes de crédits.',
    what: 'Notification',
    when: 'Date',
    none: 'Aucune notification',
    noneHint:
      'Une notification apparaît ici quand une campagne se termine, que les crédits baissent ou que quelqu’un doit agir.'
  }
)

export function Notices() {
  const say = useWords(words)
  const sayings = { say: useWords(noticeWords), alarms: useWords(alarmWords), limits: useWords(limitWords) }
  const client = useQueryClient()
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  return (
    <Page title={say.title} about={say.about}>
      <DataTable<Notice>
        label={say.title}
        queryKey={NOTICES}
        fetchPage={async (page, signal) => {
          const answer = await pageNotices(page, signal)
          // Not awaited: the page is there without it.
          void client
            .ensureQueryData(meQuery)
            .then((me) => (me.is_viewing ? undefined : markRead(client, answer.items)))
          return answer
        }}
        refetchMs={NOTICES_POLL_MS}
        rowKey={({ id }) => id}
        narrowRowHeight={84}
        linkOf={pathOf}
        columns={[
          {
            key: 'what',
            title: say.what,
            width: 'minmax(0, 1fr)',
            cell: (notice, isNarrow) => {
              const told = describeNotice(notice, { ...sayings, formats })
              const weight = notice.is_read ? 400 : 700
              if (!isNarrow) {
                return (
                  <Text size="sm" component="span" fw={weight}>
                    {told}
                  </Text>
                )
              }
              return (
                <>
                  <Text size="sm" fw={weight} lh={1.35} lineClamp={3} style={{ whiteSpace: 'normal' }}>
                    {told}
                  </Text>
                  <Text size="xs" c="dimmed" className="digits">
                    {formats.moment(notice.created_at)}
                  </Text>
                </>
              )
            }
          },
          {
            key: 'when',
            title: say.when,
            width: '170px',
            isWide: true,
            cell: ({ created_at: at }) => formats.moment(at)
          }
        ]}
        empty={
          <EmptyState icon={<IconBell size={28} aria-hidden />} title={say.none}>
            {say.noneHint}
          </EmptyState>
        }
      />
    </Page>
  )
}
