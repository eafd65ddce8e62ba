import { SegmentedControl, Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useMe } from '../../account/api/me.ts'
import { nameOrEmail, peopleQuery } from '../../people/api/people.ts'
import type { ConversationFilters as Filters } from '../api/replies.ts'

const words = defineWords(
  {
    show: 'Show',
    open: 'Open',
    unread: 'Unread',
    closed: 'Closed',
    all: 'All',
    whose: 'Assigned to',
    anybody: 'Assigned or not',
    mine: 'Mine',
    nobody: 'Unassigned'
  },
  {
    show: 'Afficher',
    open: 'Ouvertes',
    unread: 'Non lues',
    closed: 'Fermées',
    all: 'Toutes',
    whose: 'Attribuées à',
    anybody: 'Attribuées ou non',
    mine: 'Attribuées à moi',
    nobody: 'Non attribuées'
  }
)

const SHOWN = {
  open: { closed: false },
  unread: { unread: true },
  closed: { closed: true },
  all: {}
} satisfies Record<string, Filters>

type Shown = keyof typeof SHOWN

/** As the address has it. Without `show`: the open ones. Without `whose`: anybody's. */
export interface Choice {
  show?: Shown | undefined
  /** The id of a person; 0 for nobody. */
  whose?: number | undefined
}

/** The filters of an address, which somebody may have typed. */
export function readChoice({ show, whose }: Record<string, unknown>): Choice {
  return {
    ...(typeof show === 'string' && Object.hasOwn(SHOWN, show) && { show: show as Shown }),
    ...(Number.isSafeInteger(whose) && { whose: Number(whose) })
  }
}

export const toFilters = ({ show = 'open', whose }: Choice): Filters => ({
  ...SHOWN[show],
  ...(whose !== undefined && { assigned_to: whose })
})

const ANYBODY = 'anybody'

export function ConversationFilters({ choice, onChange }: { choice: Choice; onChange(choice: Choice): void }) {
  const say = useWords(words)
  const me = useMe()?.person_id
  const { data: people = [] } = useQuery(peopleQuery)
  return (
    <Stack gap="xs">
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={say.show}
        data={(Object.keys(SHOWN) as Shown[]).map((value) => ({ value, label: say[value] }))}
        value={choice.show ?? 'open'}
        onChange={(show) => onChange({ ...choice, show: show === 'open' ? undefined : (show as Shown) })}
      />
      <Select
        aria-label={say.whose}
        size="xs"
        allowDeselect={false}
        data={[
          { value: ANYBODY, label: say.anybody },
          ...(me ? [{ value: String(me), label: say.mine }] : []),
          { value: '0', label: say.nobody },
          ...people
            .filter(({ id }) => id !== me)
            .map((person) => ({ value: String(person.id), label: nameOrEmail(person) }))
        ]}
        value={choice.whose === undefined ? ANYBODY : String(choice.whose)}
        onChange={(whose) => onChange({ ...choice, whose: whose === ANYBODY ? undefined : Number(whose) })}
      />
    </Stack>
  )
}
