import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { useMe } from '../../account/api/me.ts'
import { pageTrials, TRIALS, type TrialSummary } from '../api/trials.ts'
import { trialWords } from '../words.ts'

const words = defineWords(
  {
    trials: 'A/B trials',
    name: 'Name',
    state: 'State',
    measure: 'Decided by',
    winner: 'Winner',
    created: 'Created'
  },
  {
    trials: 'Tests A/B',
    name: 'Nom',
    state: 'Statut',
    measure: 'Critère',
    winner: 'Gagnante',
    created: 'Créé le'
  }
)

const COLORS = { scheduled: 'grape.9', testing: 'orange.9', chosen: 'teal.9', cancelled: 'gray.7', failed: 'red.8' }

export function TrialBadge({ state }: Pick<TrialSummary, 'state'>) {
  const { states } = useWords(trialWords)
  return (
    <Badge color={COLORS[state]} variant="filled" tt="none">
      {states[state]}
    </Badge>
  )
}

export function TrialsTable({ empty }: { empty: ReactNode }) {
  const say = useWords(words)
  const { measures } = useWords(trialWords)
  const formats = useFormats(useMe()?.time_zone)
  return (
    <DataTable<TrialSummary>
      label={say.trials}
      queryKey={[...TRIALS, 'pages']}
      fetchPage={pageTrials}
      rowKey={({ id }) => id}
      linkOf={({ id }) => `/trials/${id}`}
      columns={[
        { key: 'name', title: say.name, width: 'minmax(0, 2fr)', cell: ({ name }) => name },
        { key: 'state', title: say.state, width: '120px', cell: ({ state }) => <TrialBadge state={state} /> },
        {
          key: 'measure',
          title: say.measure,
          width: '130px',
          isWide: true,
          cell: ({ decide_by }) => measures[decide_by]
        },
        { key: 'winner', title: say.winner, width: '110px', isWide: true, cell: ({ winner }) => winner ?? '–' },
        {
          key: 'created',
          title: say.created,
          width: '140px',
          isWide: true,
          cell: ({ created_at }) => formats.day(created_at)
        }
      ]}
      empty={empty}
    />
  )
}
