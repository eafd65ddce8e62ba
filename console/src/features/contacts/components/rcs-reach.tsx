import { Badge } from '@mantine/core'
import { defineWords, useWords } from '../../../lib/language.ts'
import type { ContactList } from '../api/contact-lists.ts'

const words = defineWords(
  { unknown: 'Not checked yet', checking: 'Being checked', ready: 'Checked', none: '–' },
  { unknown: 'Pas encore vérifiée', checking: 'En cours', ready: 'Vérifiée', none: '–' }
)

const COLORS = { unknown: 'gray', checking: 'yellow', ready: 'teal' }

/** Whether it is known which phones of a list can do RCS. */
export function RcsReach({ list }: { list: ContactList }) {
  const say = useWords(words)
  if (list.contacts_count === 0) return say.none
  const status = list.rcsCapabilityStatus
  return (
    <Badge component="span" variant="dot" color={COLORS[status]} tt="none" fw={500}>
      {say[status]}
    </Badge>
  )
}
