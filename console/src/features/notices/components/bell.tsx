import { ActionIcon, Badge } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useMe } from '../../account/api/me.ts'
import { unreadNoticesQuery } from '../api/notices.ts'

const words = defineWords(
  { notices: 'Notices', unread: (count: string) => `Notices, ${count} unread` },
  { notices: 'Notifications', unread: (count: string) => `Notifications, ${count} non lues` }
)

/** More digits would hide the bell. */
const SHOWN_MAX = 99

/** Leads to the notices, and counts those that the person has not read. Somebody who looks at an account has read none of its. */
export function Bell() {
  const say = useWords(words)
  const formats = useFormats()
  const me = useMe()
  const { data: unread = 0 } = useQuery({ ...unreadNoticesQuery, enabled: me !== undefined && !me.is_viewing })
  const label = unread === 0 ? say.notices : say.unread(formats.number(unread))
  return (
    <ActionIcon
      component={Link}
      to="/notices"
      variant="subtle"
      size="lg"
      aria-label={label}
      title={label}
      style={{ overflow: 'visible' }}
    >
      <IconBell size={20} aria-hidden />
      {unread > 0 && (
        <Badge
          size="xs"
          circle={unread < 10}
          variant="filled"
          px={unread < 10 ? 0 : 4}
          pos="absolute"
          top={-4}
          left="52%"
          aria-hidden
        >
          {unread > SHOWN_MAX ? `${SHOWN_MAX}+` : unread}
        </Badge>
      )}
    </ActionIcon>
  )
}
