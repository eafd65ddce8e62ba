import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { useSentences } from '../../../lib/refusals.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { RuleBadge, RuleMenu, useActsColumn } from '../../../ui/rule-acts.tsx'
import { useMay } from '../../account/api/may.ts'
import { useMe } from '../../account/api/me.ts'
import { AUTOMATIONS, type Automation, pageAutomations } from '../api/automations.ts'
import { describeSchedule } from '../schedule.ts'
import { useAutomationActs } from './automation-acts.ts'

const words = defineWords(
  {
    automations: 'Automations',
    name: 'Name',
    state: 'State',
    next: 'Next run',
    last: 'Last run',
    none: 'None yet'
  },
  {
    automations: 'Automatisations',
    name: 'Nom',
    state: 'Statut',
    next: 'Prochaine exécution',
    last: 'Dernière exécution',
    none: 'Aucune'
  }
)

const REFETCH_MS = 15_000

export function AutomationsTable({ empty }: { empty: ReactNode }) {
  const say = useWords(words)
  const language = useLanguage()
  const translate = useSentences()
  const formats = useFormats(useMe()?.time_zone)
  const mayChange = useMay('send')
  const acts = useActsColumn<Automation>((automation) => <Acts automation={automation} />)
  return (
    <DataTable<Automation>
      label={say.automations}
      queryKey={[...AUTOMATIONS, 'pages']}
      fetchPage={pageAutomations}
      refetchMs={REFETCH_MS}
      rowHeight={64}
      rowKey={({ id }) => id}
      linkOf={({ id }) => `/automations/${id}`}
      columns={[
        {
          key: 'name',
          title: say.name,
          width: 'minmax(0, 2fr)',
          cell: ({ name, schedule, last_problem: problem }) => (
            <Stack gap={0}>
              <Text size="sm" className="cut">
                {name}
              </Text>
              <Text size="xs" c={problem === null ? 'dimmed' : 'var(--mantine-color-error)'} className="cut">
                {problem === null ? describeSchedule(schedule, language) : translate(problem)}
              </Text>
            </Stack>
          )
        },
        {
          key: 'state',
          title: say.state,
          width: '110px',
          cell: ({ is_on: isOn, last_problem: problem }) => <RuleBadge isOn={isOn} isFailed={problem !== null} />
        },
        {
          key: 'next',
          title: say.next,
          width: '170px',
          isWide: true,
          cell: ({ next_at: at }) => (at === null ? '–' : formats.moment(at))
        },
        {
          key: 'last',
          title: say.last,
          width: '170px',
          isWide: true,
          cell: ({ last_run_at: at }) => (at === null ? say.none : formats.moment(at))
        },
        ...(mayChange ? [acts] : [])
      ]}
      empty={empty}
    />
  )
}

function Acts({ automation }: { automation: Automation }) {
  return <RuleMenu {...useAutomationActs(automation)} />
}
