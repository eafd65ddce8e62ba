import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { type ContactList, reachQuery } from '../api/contact-lists.ts'

const words = defineWords(
  {
    unknown: 'Not checked yet',
    checking: 'Being checked',
    none: '–',
    reach: (reachable: string, known: string, share: string) => `${reachable} of ${known} (${share})`
  },
  {
    unknown: 'Pas encore vérifiée',
    checking: 'En cours',
    none: '–',
    reach: (reachable: string, known: string, share: string) => `${reachable} sur ${known} (${share})`
  }
)

const COLORS = { unknown: 'gray', checking: 'yellow' }

/** The state of the RCS check of a list, until it is checked. */
function CheckBadge({ list }: { list: ContactList }) {
  const say = useWords(words)
  const status = list.rcsCapabilityStatus
  if (status === 'ready') return null
  return (
    <Badge component="span" variant="dot" color={COLORS[status]} tt="none" fw={500}>
      {say[status]}
    </Badge>
  )
}

/** In a table: the figures once the list is checked, and the state of the check until then. */
export function ReachCell({ list }: { list: ContactList }) {
  const say = useWords(words)
  if (list.contacts_count === 0) return say.none
  return list.rcsCapabilityStatus === 'ready' ? <ReachFigures list={list} /> : <CheckBadge list={list} />
}

/** The figures so far, and the state of the check until it is done. */
export function Reach({ list }: { list: ContactList }) {
  return (
    <>
      <CheckBadge list={list} /> <ReachFigures list={list} />
    </>
  )
}

/** How many phones of a list can do RCS, of those that were checked. */
function ReachFigures({ list }: { list: ContactList }) {
  const say = useWords(words)
  const formats = useFormats()
  const { data: reach } = useQuery(reachQuery(list))
  if (!reach || reach.known === 0) return null
  return (
    <span className="digits">
      {say.reach(
        formats.number(reach.reachable),
        formats.number(reach.known),
        formats.percent(reach.reachable, reach.known)
      )}
    </span>
  )
}
