import { Group, Pill, Select, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { ACTS } from '../features/audit/acts.ts'
import type { AuditFilters } from '../features/audit/api/audit.ts'
import { AuditTable } from '../features/audit/components/audit-table.tsx'
import { call, download, type Schemas } from '../lib/api.ts'
import { defineWords, type Language, useLanguage, useWords } from '../lib/language.ts'
import { fromWallTime } from '../lib/wall-time.ts'
import { DaysInput } from '../ui/days-input.tsx'
import { ExportButton } from '../ui/export-button.tsx'
import { Page } from '../ui/page.tsx'
import { PageLoading } from '../ui/states.tsx'
import { OnlyFor } from './only-for.tsx'

const words = defineWords(
  {
    title: 'Audit trail',
    about: 'Who changed what on this account, when and from where. Nobody can edit or delete an entry.',
    act: 'Action',
    all: 'All',
    allDays: 'All',
    days: 'Days',
    sends: 'Show sent messages',
    account: 'Account',
    own: 'This account',
    everyAccount: 'All accounts'
  },
  {
    title: 'Journal',
    about: 'Qui a modifié quoi sur ce compte, quand et d’où. Personne ne peut modifier ni supprimer une entrée.',
    act: 'Action',
    all: 'Toutes',
    allDays: 'Tous',
    days: 'Jours',
    sends: 'Afficher les messages envoyés',
    account: 'Compte',
    own: 'Ce compte',
    everyAccount: 'Tous les comptes'
  }
)

export const Audit = () => (
  <OnlyFor permission="people">
    <AuditPage />
  </OnlyFor>
)

function AuditPage() {
  const say = useWords(words)
  const me = useMe()
  const [filters, setFilters] = useState<AuditFilters>({ sends: false })
  const [author, setAuthor] = useState<string>()
  if (!me) return <PageLoading />
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={<ExportButton fetchFile={() => download('extractAudit', {}, { ...filters })} name="audit.csv" />}
    >
      <Group align="flex-end" gap="sm">
        <Filters me={me} filters={filters} onChange={setFilters} />
        {author && (
          <Pill
            withRemoveButton
            size="lg"
            onRemove={() => {
              setAuthor(undefined)
              setFilters({ ...filters, person: undefined, key: undefined })
            }}
          >
            {author}
          </Pill>
        )}
      </Group>
      <AuditTable
        filters={filters}
        accountId={filters.account ?? me.id}
        timeZone={me.time_zone}
        onAuthor={({ person, key, name }) => {
          setAuthor(name)
          setFilters({ ...filters, person, key })
        }}
      />
    </Page>
  )
}

function Filters({
  me,
  filters,
  onChange
}: {
  me: Schemas['Me']
  filters: AuditFilters
  onChange(filters: AuditFilters): void
}) {
  const say = useWords(words)
  const language = useLanguage()
  return (
    <>
      {me.role !== 'sub-account' && <AccountFilter me={me} filters={filters} onChange={onChange} />}
      <Select
        label={say.act}
        placeholder={say.all}
        clearable
        searchable
        w={280}
        value={filters.operation ?? null}
        onChange={(operation) => onChange({ ...filters, operation: operation ?? undefined })}
        data={actNames(language)}
      />
      <DaysInput
        label={say.days}
        placeholder={say.allDays}
        onChange={(from, to) =>
          onChange({ ...filters, from: startOf(from, 0, me.time_zone), to: startOf(to, 1, me.time_zone) })
        }
      />
      <Switch
        label={say.sends}
        mb={8}
        checked={filters.sends ?? false}
        disabled={filters.all ?? false}
        onChange={({ currentTarget: { checked } }) => onChange({ ...filters, sends: checked })}
      />
    </>
  )
}

/** The trail of this account, of one below it or, for the operator, of all. */
function AccountFilter({ me, filters, onChange }: Parameters<typeof Filters>[0]) {
  const say = useWords(words)
  const { data = [] } = useQuery({ queryKey: ['sub-accounts', 'all'], queryFn: () => call('listSubAccounts') })
  const below = data.map((account) => {
    const id = String(account.subaccount_id)
    return { value: id, label: `${account.social_reason || account.email} (${id})` }
  })
  return (
    <Select
      label={say.account}
      searchable
      allowDeselect={false}
      w={240}
      value={filters.all ? 'all' : String(filters.account ?? me.id)}
      onChange={(chosen) =>
        onChange({
          ...filters,
          all: chosen === 'all' || undefined,
          account: chosen === 'all' || chosen === String(me.id) ? undefined : Number(chosen)
        })
      }
      data={[
        { value: String(me.id), label: say.own },
        ...(me.role === 'operator' ? [{ value: 'all', label: say.everyAccount }] : []),
        ...below
      ]}
    />
  )
}

function actNames(language: Language) {
  return Object.entries(ACTS).map(([value, act]) => {
    const name = act[language].replace(/ ?\{id\}/, '')
    return { value, label: `${name.charAt(0).toUpperCase()}${name.slice(1)}` }
  })
}

/** The moment at which a day begins, or the day after it, in the time zone of the table. */
function startOf(day: string | null, daysLater: number, timeZone: string): string | undefined {
  if (day === null) return undefined
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + daysLater)
  return fromWallTime(`${date.toISOString().slice(0, 10)} 00:00:00`, timeZone)
}
