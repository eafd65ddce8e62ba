import { Group, Select } from '@mantine/core'
import type { Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { SearchField } from '../../../ui/search-field.tsx'
import { standingWords } from '../standing-words.ts'

export type Standing = Schemas['AccountRow']['standing']

const SORTS = ['created', 'name', 'sms_credits', 'rcs_credits', 'sent', 'activity'] as const

export interface AccountFilterValues {
  standing: Standing | null
  sort: (typeof SORTS)[number]
}

export const NO_FILTER: AccountFilterValues = { standing: null, sort: 'created' }

const words = defineWords(
  {
    search: 'Search by company, name, email or number',
    standing: 'Status',
    all: 'All',
    sort: 'Sort by',
    created: 'Newest first',
    name: 'Company',
    sms_credits: 'SMS credits',
    rcs_credits: 'RCS credits',
    sent: 'Messages, 30 days',
    activity: 'Last activity'
  },
  {
    search: 'Rechercher par société, nom, e-mail ou numéro',
    standing: 'Statut',
    all: 'Tous',
    sort: 'Trier par',
    created: 'Les plus récents',
    name: 'Société',
    sms_credits: 'Crédits SMS',
    rcs_credits: 'Crédits RCS',
    sent: 'Messages, 30 jours',
    activity: 'Dernière activité'
  }
)

/** The query of a list of accounts. */
export function toAccountQuery(search: string, { standing, sort }: AccountFilterValues) {
  return {
    ...(search !== '' && { search }),
    ...(standing && { standing }),
    sort,
    direction: sort === 'name' ? ('asc' as const) : ('desc' as const)
  }
}

export function AccountFilters({
  text,
  setText,
  values,
  onChange
}: {
  text: string
  setText(text: string): void
  values: AccountFilterValues
  onChange(values: AccountFilterValues): void
}) {
  const say = useWords(words)
  const standings = useWords(standingWords)
  return (
    <Group gap="sm" align="flex-end">
      <SearchField label={say.search} isLabelShown text={text} setText={setText} />
      <Select
        label={say.standing}
        clearable
        placeholder={say.all}
        w={140}
        value={values.standing}
        onChange={(standing) => onChange({ ...values, standing: standing as Standing | null })}
        data={(['open', 'suspended', 'closed'] as const).map((value) => ({ value, label: standings[value] }))}
      />
      <Select
        label={say.sort}
        allowDeselect={false}
        w={180}
        value={values.sort}
        onChange={(sort) => onChange({ ...values, sort: (sort ?? 'created') as AccountFilterValues['sort'] })}
        data={SORTS.map((value) => ({ value, label: say[value] }))}
      />
    </Group>
  )
}
